CREATE TABLE notes (
  id {{key}} NOT NULL PRIMARY KEY,
  name {{key}} NOT NULL,
  text TEXT NOT NULL,
  created_by TEXT NOT NULL
);
CREATE UNIQUE INDEX notes_name ON notes (name);
