insert into call_span (id, start, call_id, call_key, tool, stage, state, outcome, conversation, service)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
