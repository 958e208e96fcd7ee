insert into content (rowid, text) values (?, ?)
