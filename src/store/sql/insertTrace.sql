insert into trace (trace_id) values (?)
