select cast(started as text) as start from call order by started desc limit 1 offset ?
