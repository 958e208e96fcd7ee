delete from trace
where id = :trace
  and not exists (select 1 from span where span.trace = :trace)
  and not exists (select 1 from link where link.trace = :trace)
