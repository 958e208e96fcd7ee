-- The last number stays, and so is not given again: readers remember what they have read.
delete from resource_use where spans = 0 and id < (select max(id) from resource);
delete from scope_use where spans = 0 and id < (select max(id) from scope);
