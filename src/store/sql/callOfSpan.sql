select call_span.call as id
from span join call_span on call_span.id = span.id
where span.trace = ? and span.span_id = ?
