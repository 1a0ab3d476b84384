-- The command as its caller sent it. Null for commands of Weft itself, and for those from before: their text is made of
-- name and arguments.
ALTER TABLE commands ADD COLUMN text TEXT;
