update violation set call = ? where call = ?
