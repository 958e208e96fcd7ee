select span.id, span.resource, span.scope, span.body
from trace join span on span.trace = trace.id
where trace.trace_id = ? and span.span_id > ?
order by span.span_id
