select value as key from json_each(?) where exists (select 1 from violation where violation.key = json_each.value)
