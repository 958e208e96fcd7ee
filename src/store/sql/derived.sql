-- What is derived from the spans, and can be derived again.

-- Stage spans: `id` is that of the span, `call` the call that it belongs to.
create table call_span (
  id integer primary key,
  call integer not null,
  trace integer not null,
  key text
);
create index call_span_call on call_span (call);
create index call_span_key on call_span (trace, key);

-- Calls: what they are searched, ordered and counted by. `started` is in unix nanoseconds, cut at 2^63 - 1; `execution`
-- and `wait` are milliseconds.
create table call (
  id integer primary key,
  key text not null,
  call_id text,
  tool text not null,
  known integer not null,
  state text,
  outcome text,
  conversation text,
  service text,
  started integer not null,
  execution real,
  wait real
);
create index call_key on call (key, started);
create index call_other_id on call (call_id, started) where call_id is not key;
create index call_conversation on call (conversation, key) where conversation is not null;
-- What is asked for together with a tool, a state, an outcome or a service is in the index: to find and count the calls of
-- one tool that failed among a million no call has to be read but those that are shown.
create index call_tool on call (tool, started, service, outcome, state);
create index call_state on call (state, started);
create index call_outcome on call (outcome, started, state);
create index call_service on call (service, started, outcome, state);
create index call_started on call (started);
create index call_execution on call (execution) where execution is not null;
create index call_wait on call (wait) where wait is not null;

-- Conversation and key of stage spans where they are not those of their call.
create table other_name (
  conversation text not null,
  key text not null,
  call integer not null,
  primary key (conversation, key, call)
) without rowid;
create index other_name_call on other_name (call);

-- Reported faults: the event `place` of a span, and the call that it names, when that is known.
create table violation (
  id integer primary key,
  span integer not null,
  trace integer not null,
  place integer not null,
  kind text not null,
  tool text,
  call_id text,
  key text,
  conversation text,
  call integer
);
create index violation_span on violation (span);
create index violation_kind on violation (kind, call);
create index violation_key on violation (key) where key is not null;
create index violation_call on violation (call) where call is not null;

-- The traces of a conversation.
create table conversation_trace (
  conversation text not null,
  trace integer not null,
  primary key (conversation, trace)
) without rowid;

-- Captured content, by span: every three letters of it.
create virtual table content using fts5 (text, content = '', contentless_delete = 1, tokenize = 'trigram', detail = 'full');

-- How many spans have a resource, or a scope. One that none has goes with its number.
create table resource_use (id integer primary key, spans integer not null);
create index resource_unused on resource_use (id) where spans = 0;
create trigger resource_use_end after delete on resource_use begin delete from resource where id = old.id; end;
create table scope_use (id integer primary key, spans integer not null);
create index scope_unused on scope_use (id) where spans = 0;
create trigger scope_use_end after delete on scope_use begin delete from scope where id = old.id; end;

-- What retention has taken out.
create table dropped (spans integer not null, calls integer not null);
insert into dropped values (0, 0);
