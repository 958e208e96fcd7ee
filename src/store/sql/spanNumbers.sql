select ifnull(min(id), 0) as first, ifnull(max(id), 0) as last from span
