delete from conversation_trace where conversation = ? and trace = ?
