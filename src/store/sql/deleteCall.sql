delete from call where id = ?
