-- Emulated networks: one row a run, which agents belong to it, and what is asked of it while it runs.

CREATE TABLE emulator_runs (
  job_number {{key}} NOT NULL PRIMARY KEY,
  owner_kind TEXT NOT NULL,
  owner_id {{key}} NOT NULL,
  owner_name TEXT NOT NULL,
  access_points INTEGER NOT NULL,
  devices BIGINT NOT NULL,
  -- JSON: kind of access point → how many.
  by_type TEXT NOT NULL,
  seed BIGINT NOT NULL,
  speed DOUBLE PRECISION NOT NULL,
  model_start BIGINT NOT NULL,
  -- Seconds of model time.
  duration BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  -- When it should end; once it has, when it did.
  ends_at BIGINT NOT NULL,
  -- Null while it runs; then how it ended, when its agents are removed, and the last that was told of it.
  state TEXT,
  detail TEXT,
  remove_at BIGINT,
  latest TEXT
);
CREATE INDEX emulator_runs_age ON emulator_runs (created_at, job_number);
CREATE INDEX emulator_runs_owner ON emulator_runs (owner_id, created_at, job_number);
CREATE INDEX emulator_runs_open ON emulator_runs (ends_at) WHERE state IS NULL;
CREATE INDEX emulator_runs_removal ON emulator_runs (remove_at) WHERE remove_at IS NOT NULL;

CREATE TABLE emulator_agents (
  job_number {{key}} NOT NULL,
  ap_id {{key}} NOT NULL,
  PRIMARY KEY (job_number, ap_id)
);

CREATE TABLE emulator_requests (
  id {{key}} NOT NULL PRIMARY KEY,
  job_number {{key}} NOT NULL,
  kind TEXT NOT NULL,
  -- JSON.
  body TEXT NOT NULL,
  expires_at BIGINT NOT NULL,
  is_taken INTEGER NOT NULL CHECK (is_taken IN (0, 1)),
  -- JSON, once it is there.
  answer TEXT
);
CREATE INDEX emulator_requests_waiting ON emulator_requests (job_number) WHERE is_taken = 0;
CREATE INDEX emulator_requests_expiry ON emulator_requests (expires_at);
