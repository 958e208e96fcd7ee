select id, resource, scope, body from span where id = ?
