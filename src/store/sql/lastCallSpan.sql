select ifnull(max(id), 0) as id from call_span
