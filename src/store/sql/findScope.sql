select id from scope where digest = ?
