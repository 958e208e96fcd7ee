select call as id from call_span where id = ?
