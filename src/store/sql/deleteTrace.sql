delete from trace where id = ? and not exists (select 1 from link where link.trace = ?)
