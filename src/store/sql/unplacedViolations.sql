select id, trace, conversation from violation where key = ? and call is null limit 100
