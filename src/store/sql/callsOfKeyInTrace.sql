select distinct call as id from call_span where trace = ? and key = ?
