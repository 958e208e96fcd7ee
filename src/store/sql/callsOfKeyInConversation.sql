select id from call where conversation = ?1 and key = ?2
union
select call from other_name where conversation = ?1 and key = ?2
