select body from resource where id = ?
