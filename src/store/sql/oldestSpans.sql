select id, trace, resource, scope, body from span order by id limit ?
