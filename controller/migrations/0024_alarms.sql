-- Rules that watch access points, the alarms that they found, and silences.

-- One row: grows with every change of the three tables, so that nodes learn what others have changed.
CREATE TABLE alarm_head (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  version BIGINT NOT NULL,
  -- The version at which rules or silences changed last.
  rules_version BIGINT NOT NULL
);
INSERT INTO alarm_head (id, version, rules_version) VALUES (1, 0, 0);

CREATE TABLE alarm_rules (
  id {{key}} NOT NULL PRIMARY KEY,
  name {{key}} NOT NULL,
  -- The key of a rule that comes with Weft.
  product {{key}},
  is_adjusted INTEGER NOT NULL,
  -- JSON
  rule TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX alarm_rules_name ON alarm_rules (name);

-- Which rules that come with Weft were given out: one that was removed does not come back by itself.
CREATE TABLE alarm_products (
  product {{key}} NOT NULL PRIMARY KEY
);

CREATE TABLE alarms (
  -- Begins with the time.
  id {{key}} NOT NULL PRIMARY KEY,
  rule_id {{key}} NOT NULL,
  rule TEXT NOT NULL,
  subject_kind {{key}} NOT NULL,
  subject {{key}} NOT NULL,
  ap_id {{key}},
  site TEXT,
  severity TEXT NOT NULL,
  state TEXT NOT NULL,
  since BIGINT NOT NULL,
  fired_at BIGINT NOT NULL,
  value DOUBLE PRECISION,
  message TEXT NOT NULL,
  -- JSON
  labels TEXT NOT NULL,
  acknowledged_by TEXT,
  acknowledged_at BIGINT,
  note TEXT,
  shelved_until BIGINT,
  shelved_by TEXT,
  silenced_by TEXT,
  inhibited_by {{key}},
  -- Whether there is an event of it.
  is_announced INTEGER NOT NULL,
  cleared_at BIGINT,
  cleared_by TEXT,
  version BIGINT NOT NULL
);
CREATE UNIQUE INDEX alarms_active ON alarms (rule_id, subject_kind, subject) WHERE cleared_at IS NULL;
CREATE INDEX alarms_cleared ON alarms (cleared_at) WHERE cleared_at IS NOT NULL;
CREATE INDEX alarms_subject ON alarms (rule_id, subject, cleared_at);
CREATE INDEX alarms_agent ON alarms (ap_id, id);
CREATE INDEX alarms_version ON alarms (version);

CREATE TABLE silences (
  id {{key}} NOT NULL PRIMARY KEY,
  -- JSON
  silence TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  -- Null for one that goes on.
  ends_at BIGINT
);
CREATE INDEX silences_end ON silences (ends_at) WHERE ends_at IS NOT NULL;
