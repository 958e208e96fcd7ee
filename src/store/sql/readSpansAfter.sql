select id, trace, resource, scope, body from span where id > ? order by id limit ?
