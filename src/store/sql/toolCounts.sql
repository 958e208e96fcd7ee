-- Another index takes the place of the one that is named; failures are those of "ToolFigure".
select
  tool,
  count(*) as calls,
  sum(coalesce(outcome in ('failure', 'invalid_parameters', 'invalid_result', 'unknown_tool'), 0)) as failures,
  sum(coalesce(state = 'pending', 0)) as pending
from call indexed by call_tool
where started >= ?
group by tool
order by calls desc, tool
limit ?
