-- A keyed chain beside the hashes: who has only the file can compute hashes anew, and not these. Entries from before have none;
-- from `keyed_from` on every entry has one.
ALTER TABLE audit_log ADD COLUMN mac TEXT;
ALTER TABLE audit_head ADD COLUMN mac TEXT;
ALTER TABLE audit_head ADD COLUMN keyed_from INTEGER;
