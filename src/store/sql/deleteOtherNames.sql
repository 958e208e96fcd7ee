delete from other_name where call = ?
