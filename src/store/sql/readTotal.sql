-- Times as text: a double does not hold them.
select spans, call_spans, traces, cast(oldest as text) as oldest, cast(newest as text) as newest from total
