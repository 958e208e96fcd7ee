insert or ignore into conversation_trace (conversation, trace) values (?, ?)
