-- Times as text: a double does not hold them.
select
  total.spans,
  call_spans,
  traces,
  cast(oldest as text) as oldest,
  cast(newest as text) as newest,
  dropped.spans as dropped_spans,
  dropped.calls as dropped_calls,
  (select count(*) from call) as calls,
  (select count(*) from violation) as violations
from total, dropped
