-- The store, version 4. Hot tables grow at their end: rows are numbered by arrival, and a random trace id is looked up
-- once per trace, not once per span.

-- Trace ids, also those that are only the target of a link.
create table trace (
  id integer primary key,
  trace_id blob not null unique
);

-- ResourceSpans and ScopeSpans messages without their spans, each kept once.
create table resource (
  id integer primary key,
  digest blob not null unique,
  body blob not null
);
create table scope (
  id integer primary key,
  digest blob not null unique,
  body blob not null
);

-- Every span: `body` is its whole OTLP Span message. `start` is in unix nanoseconds, cut at 2^63 - 1.
create table span (
  id integer primary key,
  trace integer not null,
  span_id blob not null,
  start integer not null,
  resource integer not null,
  scope integer not null,
  body blob not null
);
create unique index span_address on span (trace, span_id);

-- Who links to a span, by the span that is linked to; `source` is the span that holds the link.
create table link (
  trace integer not null,
  span_id blob not null,
  source integer not null,
  type text not null,
  primary key (trace, span_id, source, type)
) without rowid;

-- One row; counting millions of rows would take seconds. Added to by each request, taken from by retention.
create table total (
  spans integer not null,
  call_spans integer not null,
  traces integer not null,
  oldest integer,
  newest integer
);
insert into total values (0, 0, 0, null, null);
