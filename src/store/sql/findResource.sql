select id from resource where digest = ?
