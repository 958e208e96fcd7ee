-- The oldest that is left is taken to be the first that arrived.
update total set
  spans = spans - :spans,
  call_spans = call_spans - :callSpans,
  traces = traces - :traces,
  oldest = (select start from span order by id limit 1),
  newest = case when exists (select 1 from span) then newest end
