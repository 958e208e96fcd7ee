delete from content where rowid = ?
