select id, trace, conversation, call from violation where key = ? order by id desc limit ?
