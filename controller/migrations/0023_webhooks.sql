-- Webhooks: the event log is their outbox, `position` is how far each has come in it.
CREATE TABLE webhooks (
  id {{key}} NOT NULL PRIMARY KEY,
  name {{key}} NOT NULL,
  url TEXT NOT NULL,
  -- JSON: kinds of events.
  events TEXT NOT NULL,
  selector TEXT NOT NULL,
  format TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  secret_encrypted TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  -- Grows with each change from outside: whoever delivers begins again with the row as it is.
  version INTEGER NOT NULL,
  -- Everything up to this event was delivered, or is a row of webhook_waiting.
  position BIGINT NOT NULL,
  -- Events from before are retried from here on, as if they were new.
  replayed_at BIGINT NOT NULL,
  -- The first failure since the last success; told: 1 once webhook.failing was logged.
  failing_since BIGINT,
  is_failing_told INTEGER NOT NULL
);
CREATE UNIQUE INDEX webhooks_name ON webhooks (name);

-- What failed, and what waits behind it because it has the same subject; and what was given up.
CREATE TABLE webhook_waiting (
  webhook_id {{key}} NOT NULL,
  event_id BIGINT NOT NULL,
  attempts INTEGER NOT NULL,
  next_at BIGINT NOT NULL,
  is_parked INTEGER NOT NULL,
  PRIMARY KEY (webhook_id, event_id)
);

-- The last attempts, ordered by id.
CREATE TABLE webhook_deliveries (
  webhook_id {{key}} NOT NULL,
  id {{key}} NOT NULL,
  ts BIGINT NOT NULL,
  event_id BIGINT,
  kind TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  status INTEGER,
  error TEXT,
  duration_ms INTEGER NOT NULL,
  PRIMARY KEY (webhook_id, id)
);
