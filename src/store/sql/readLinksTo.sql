select link.type, span.id, span.resource, span.scope, span.body
from trace
join link on link.trace = trace.id
join span on span.id = link.source
where trace.trace_id = ? and link.span_id = ?
order by link.source, link.type
