update total set
  spans = spans + :spans,
  call_spans = call_spans + :callSpans,
  traces = traces + :traces,
  oldest = min(ifnull(oldest, :oldest), :oldest),
  newest = max(ifnull(newest, :newest), :newest)
