insert or ignore into span (trace, span_id, start, resource, scope, body) values (?, ?, ?, ?, ?, ?)
