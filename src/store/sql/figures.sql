select
  tool,
  known,
  state,
  outcome,
  execution,
  wait,
  (select count(*) from violation where violation.call = call.id) as violations
from call
order by started desc
limit ?
