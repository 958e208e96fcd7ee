insert into resource (digest, body) values (?, ?)
