select call.tool, count(*) as faults
from violation cross join call on call.id = violation.call
where call.started >= ?
group by call.tool
