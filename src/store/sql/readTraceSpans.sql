select span.id, span.resource, span.scope, span.body
from trace join span on span.trace = trace.id
where trace.trace_id = ?
order by span.start, span.id
