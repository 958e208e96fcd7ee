insert into violation (span, trace, place, kind, tool, call_id, key, conversation, call)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
