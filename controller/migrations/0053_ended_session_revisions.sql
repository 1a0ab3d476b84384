-- One row: grows whenever sessions end, or are removed once their tokens have expired, so that nodes learn of it.
CREATE TABLE session_head (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  revision BIGINT NOT NULL,
  -- Removals up to here are forgotten: who knows only older revisions reads everything again.
  forgotten BIGINT NOT NULL
);
INSERT INTO session_head (id, revision, forgotten) VALUES (1, 1, 0);
ALTER TABLE ended_sessions ADD COLUMN revision BIGINT NOT NULL DEFAULT 1;
CREATE INDEX ended_sessions_revision ON ended_sessions (revision);
DROP INDEX ended_sessions_age;
-- The rules that ship have the version 0, and stand in the code.
INSERT INTO conflict_rules (id, version, rules) VALUES (1, 0, '') ON CONFLICT DO NOTHING;
