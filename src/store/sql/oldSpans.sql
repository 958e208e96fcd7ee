select id, trace, resource, scope, body from span where id > :after and id <= :last and start < :before order by id limit :limit
