select distinct call.id
from call_span join call on call.id = call_span.call
where call_span.trace = ? and call.key = ?
limit 2
