-- What the messages of a job take as they are stored, which is compressed. Null: stored before that, as many as `bytes`.
ALTER TABLE jobs ADD COLUMN stored_bytes BIGINT;
