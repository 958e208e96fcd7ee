insert into resource_use (id, spans)
select resource.id, ifnull(used.spans, 0)
from resource left join (select resource as id, count(*) as spans from span group by resource) as used using (id);
insert into scope_use (id, spans)
select scope.id, ifnull(used.spans, 0)
from scope left join (select scope as id, count(*) as spans from span group by scope) as used using (id);
