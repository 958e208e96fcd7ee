select span.id, span.resource, span.scope, span.body
from call_span join span on span.id = call_span.id
where call_span.call = ?
limit ?
