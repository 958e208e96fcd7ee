insert into scope (digest, body) values (?, ?)
