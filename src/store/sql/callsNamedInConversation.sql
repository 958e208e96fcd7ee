select id from call where conversation = ? and key = ? limit 2
