select id from call where key = ? limit 2
