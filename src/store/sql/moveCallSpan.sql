update call_span set call = ? where id = ?
