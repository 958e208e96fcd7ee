select kind, count(*) as count from violation group by kind order by count desc, kind
