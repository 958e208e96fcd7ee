delete from span where id = ?
