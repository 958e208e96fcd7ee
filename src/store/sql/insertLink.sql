insert or ignore into link (trace, span_id, source, type) values (?, ?, ?, ?)
