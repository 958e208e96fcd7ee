update violation set call = ? where id = ?
