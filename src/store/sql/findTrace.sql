select id from trace where trace_id = ?
