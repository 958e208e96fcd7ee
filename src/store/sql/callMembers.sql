select id, trace from call_span where call = ? limit ?
