delete from link where trace = ? and span_id = ? and source = ? and type = ?
