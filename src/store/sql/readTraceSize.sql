select count(*) as spans, coalesce(sum(length(span.body)), 0) as bytes
from trace join span on span.trace = trace.id
where trace.trace_id = ?
