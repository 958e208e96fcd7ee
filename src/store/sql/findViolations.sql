-- The conditions take the place of "true".
select
  violation.id as sequence,
  violation.place,
  ifnull(violation.tool, (select call.tool from call where call.id = violation.call)) as tool,
  span.id,
  span.resource,
  span.scope,
  span.body
from violation join span on span.id = violation.span
where true
order by violation.id desc
limit ?
