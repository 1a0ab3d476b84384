-- One row that is written again and again, to find out whether the database accepts writes.
CREATE TABLE write_probe (
  id INTEGER PRIMARY KEY,
  written_at BIGINT NOT NULL
);
