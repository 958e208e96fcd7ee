-- The conditions of a filter take the place of "true".
select span.id, span.resource, span.scope, span.body
from call_span join span on span.id = call_span.id
where true
order by call_span.start desc, call_span.id desc
limit ?
