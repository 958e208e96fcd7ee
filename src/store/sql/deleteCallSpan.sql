delete from call_span where id = ?
