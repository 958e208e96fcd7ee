select exists (select 1 from call where tool = ? and started >= ? and known) as known
