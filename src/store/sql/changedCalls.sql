select id, call from call_span where id > ? order by id limit ?
