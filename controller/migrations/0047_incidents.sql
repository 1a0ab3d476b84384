-- Alarms that belong together, with who was affected.
CREATE TABLE incidents (
  -- That of its first alarm.
  id {{key}} NOT NULL PRIMARY KEY,
  started_at BIGINT NOT NULL,
  ended_at BIGINT,
  -- The one that has its alarms now.
  merged_into {{key}},
  -- Whether there is an event of it.
  is_told INTEGER NOT NULL,
  -- JSON: the devices that lost service, and for how long, empty again a day after its end.
  losses TEXT NOT NULL
);
CREATE INDEX incidents_started ON incidents (started_at, id);
CREATE INDEX incidents_open ON incidents (id) WHERE ended_at IS NULL;
CREATE INDEX incidents_merged ON incidents (merged_into) WHERE merged_into IS NOT NULL;

-- What its devices lost, by the access point that each had lost first.
CREATE TABLE incident_impact (
  incident_id {{key}} NOT NULL,
  ap_id {{key}} NOT NULL,
  devices INTEGER NOT NULL,
  lost_ms BIGINT NOT NULL,
  PRIMARY KEY (incident_id, ap_id)
);
CREATE INDEX incident_impact_agent ON incident_impact (ap_id);

ALTER TABLE alarms ADD COLUMN incident_id {{key}};
-- JSON: what was known of the time before it.
ALTER TABLE alarms ADD COLUMN incident_context TEXT;
-- Of the past each alarm stands alone.
INSERT INTO incidents (id, started_at, ended_at, merged_into, is_told, losses)
  SELECT id, since, cleared_at, NULL, 1, '{}' FROM alarms;
UPDATE alarms SET incident_id = id;
CREATE INDEX alarms_incident ON alarms (incident_id, id);
CREATE INDEX alarms_ungrouped ON alarms (id) WHERE incident_id IS NULL;

-- What was changed before an alarm.
CREATE INDEX config_rollout_agents_treated ON config_rollout_agents (treated_at) WHERE treated_at IS NOT NULL;
