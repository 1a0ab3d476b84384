-- An installation that was copied into this database by `weft migrate`.

-- One row from the beginning of the copy on. No server starts on the database before `completed_at` is set.
CREATE TABLE data_migration (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- As in the mark of the data folder that it comes from.
  source TEXT NOT NULL,
  begun_at BIGINT NOT NULL,
  completed_at BIGINT
);

-- The key of the devices' pseudonyms of an installation that had it in a file, encrypted. Without a row it is derived from the secret.
CREATE TABLE device_key (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  key_encrypted TEXT NOT NULL
);
