-- What access points shall be: layers with their versions, variables, secrets, drafts of changes, roll-outs, and how each access
-- point stands to what it shall be.

-- Raised by every change of layers, variables and secrets.
CREATE TABLE config_head (
  id INTEGER NOT NULL PRIMARY KEY,
  revision BIGINT NOT NULL
);
INSERT INTO config_head (id, revision) VALUES (1, 1);

CREATE TABLE config_layers (
  id {{key}} NOT NULL PRIMARY KEY,
  -- The one in force.
  version INTEGER NOT NULL
);

-- The newest 100 of each.
CREATE TABLE config_layer_versions (
  layer_id {{key}} NOT NULL,
  version INTEGER NOT NULL,
  name TEXT NOT NULL,
  selector TEXT NOT NULL,
  weight INTEGER NOT NULL,
  optional INTEGER NOT NULL,
  settings TEXT NOT NULL,
  -- 1: with this version the layer ended.
  removed INTEGER NOT NULL,
  rollout_id TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (layer_id, version)
);

-- `target` is the id of an agent or of a site.
CREATE TABLE config_variables (
  scope {{key}} NOT NULL,
  target {{key}} NOT NULL,
  name {{key}} NOT NULL,
  -- JSON.
  value TEXT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (target, name)
);

CREATE TABLE config_secrets (
  name {{key}} NOT NULL PRIMARY KEY,
  version INTEGER NOT NULL,
  -- Encrypted.
  value TEXT NOT NULL,
  updated_at BIGINT NOT NULL
);

CREATE TABLE config_change_sets (
  id {{key}} NOT NULL PRIMARY KEY,
  title TEXT NOT NULL,
  -- `draft`, or `rolled_out` once a roll-out has taken it.
  state TEXT NOT NULL,
  -- JSON: the layers as they shall be, the ids of those to remove, and the versions that the draft is based on.
  layers TEXT NOT NULL,
  removed TEXT NOT NULL,
  base TEXT NOT NULL,
  owner_kind TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  owner_name TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX config_change_sets_by_time ON config_change_sets (created_at, id);

CREATE TABLE config_rollouts (
  id {{key}} NOT NULL PRIMARY KEY,
  change_set_id TEXT NOT NULL,
  title TEXT NOT NULL,
  state TEXT NOT NULL,
  -- Why it stands, for people.
  reason TEXT,
  -- JSON: waves, gates, limits, window; and the layers before and after.
  plan TEXT NOT NULL,
  changes TEXT NOT NULL,
  wave INTEGER NOT NULL,
  wave_started_at BIGINT,
  total INTEGER NOT NULL,
  -- What the gates measured, JSON.
  measured TEXT NOT NULL,
  owner_kind TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  owner_name TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  ended_at BIGINT
);
CREATE INDEX config_rollouts_by_time ON config_rollouts (created_at, id);
CREATE INDEX config_rollouts_open ON config_rollouts (id) WHERE ended_at IS NULL;

CREATE TABLE config_rollout_agents (
  rollout_id {{key}} NOT NULL REFERENCES config_rollouts (id) ON DELETE CASCADE,
  agent_id {{key}} NOT NULL,
  ap_id TEXT NOT NULL,
  wave INTEGER NOT NULL,
  -- 1 once it was asked for.
  treated INTEGER NOT NULL,
  treated_at BIGINT,
  -- How many devices it served then.
  devices_before INTEGER,
  PRIMARY KEY (rollout_id, agent_id)
);
CREATE INDEX config_rollout_agents_waves ON config_rollout_agents (rollout_id, wave);

CREATE TABLE agent_configs (
  agent_id {{key}} NOT NULL PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE,
  ap_id {{key}} NOT NULL,
  text TEXT NOT NULL,
  hash TEXT NOT NULL,
  sources TEXT NOT NULL,
  rollout_id TEXT,
  config_id TEXT NOT NULL,
  is_due INTEGER NOT NULL,
  trial_seconds INTEGER NOT NULL,
  state {{key}} NOT NULL,
  detail TEXT,
  deadline_at BIGINT,
  trial_connection TEXT,
  is_back INTEGER NOT NULL,
  running_hash TEXT,
  running TEXT,
  running_at BIGINT,
  overridden TEXT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX agent_configs_by_name ON agent_configs (ap_id);
CREATE INDEX agent_configs_by_state ON agent_configs (state, ap_id);
CREATE INDEX agent_configs_late ON agent_configs (deadline_at) WHERE deadline_at IS NOT NULL;
