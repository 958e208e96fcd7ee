select trace.trace_id from conversation_trace join trace on trace.id = conversation_trace.trace
where conversation_trace.conversation = ?
order by conversation_trace.trace
limit ?
