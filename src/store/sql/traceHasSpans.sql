select 1 from span where trace = ? limit 1
