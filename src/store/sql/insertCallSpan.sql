insert into call_span (id, call, trace, key) values (?, ?, ?, ?)
