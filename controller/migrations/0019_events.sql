-- What happened, for people and programs: rows with growing ids. `ts` never goes back from one id to the next.
CREATE TABLE event_log (
  id BIGINT NOT NULL PRIMARY KEY,
  ts BIGINT NOT NULL,
  kind {{key}} NOT NULL,
  subject_kind {{key}} NOT NULL,
  subject {{key}} NOT NULL,
  -- The agent that it is about, whatever its subject is.
  ap_id {{key}},
  -- The path of the site at that time.
  site {{key}},
  severity TEXT NOT NULL,
  text TEXT NOT NULL,
  -- JSON.
  data TEXT NOT NULL
);
CREATE INDEX event_log_agent ON event_log (ap_id, id) WHERE ap_id IS NOT NULL;
-- Events about devices are many and are kept for a day only.
CREATE INDEX event_log_devices ON event_log (id) WHERE subject_kind = 'device';

-- One row: the newest event. Whoever appends locks it until the transaction ends, so that events become visible in the order of ids.
CREATE TABLE event_head (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  newest BIGINT NOT NULL,
  ts BIGINT NOT NULL
);
INSERT INTO event_head (id, newest, ts) VALUES (1, 0, 0);
