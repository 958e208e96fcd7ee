insert into call (id, key, call_id, tool, known, state, outcome, conversation, service, started, execution, wait)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
