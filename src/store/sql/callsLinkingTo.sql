select distinct call_span.call as id
from link join call_span on call_span.id = link.source
where link.trace = ? and link.span_id = ? and link.type in ('decided_by', 'approved_by', 'answers', 'result_of')
