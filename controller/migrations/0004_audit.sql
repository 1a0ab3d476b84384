-- Who changed what: one chain of entries that only grows. Each entry's hash covers its own content and the hash before it.

CREATE TABLE audit_log (
  seq INTEGER PRIMARY KEY,
  ts BIGINT NOT NULL,
  actor_kind TEXT NOT NULL,
  actor_id TEXT,
  actor_name {{key}} NOT NULL,
  action {{key}} NOT NULL,
  target_kind TEXT NOT NULL,
  target {{key}} NOT NULL,
  detail TEXT NOT NULL,
  hash TEXT NOT NULL
);
CREATE INDEX audit_log_actor ON audit_log (actor_name, seq);
CREATE INDEX audit_log_action ON audit_log (action, seq);
CREATE INDEX audit_log_target ON audit_log (target, seq);

-- One row: the newest entry. Whoever appends locks it, so that numbers have no gap and the chain no fork.
CREATE TABLE audit_head (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  seq INTEGER NOT NULL,
  hash TEXT NOT NULL
);
INSERT INTO audit_head (id, seq, hash) VALUES (1, 0, '0000000000000000000000000000000000000000000000000000000000000000');
