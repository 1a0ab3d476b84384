-- Who is told of which events by e-mail; `position` is how far each has come in the event log.
CREATE TABLE notifications (
  id {{key}} NOT NULL PRIMARY KEY,
  name {{key}} NOT NULL,
  email TEXT NOT NULL,
  -- JSON: events, severities, selector, digest, quiet hours, time zone.
  rule TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  -- Grows with each change from outside.
  version INTEGER NOT NULL,
  -- Everything up to this event was told, or was not for them.
  position BIGINT NOT NULL,
  last_sent_at BIGINT,
  failing_since BIGINT
);
CREATE UNIQUE INDEX notifications_name ON notifications (name);
