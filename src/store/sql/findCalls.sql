-- The conditions, the value that the order goes by, and the order take the places of "true", "null" and "1".
select call.id, null as value, (select count(*) from violation where violation.call = call.id) as violations
from call
where true
order by 1
limit ?
