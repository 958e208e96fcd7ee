select body from scope where id = ?
