select key from call where id = ?
