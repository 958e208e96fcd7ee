insert into scope_use (id, spans) values (:id, :spans) on conflict (id) do update set spans = spans + :spans
