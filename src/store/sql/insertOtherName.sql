insert or ignore into other_name (conversation, key, call) values (?, ?, ?)
