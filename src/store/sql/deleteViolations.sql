delete from violation where span = ?
