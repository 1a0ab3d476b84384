-- Changes of many access points at once: what is to be done, and what came of it for each of them. They go with their job.

CREATE TABLE bulk_runs (
  job_number {{key}} NOT NULL PRIMARY KEY REFERENCES jobs (job_number) ON DELETE CASCADE,
  owner_kind TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  owner_name TEXT NOT NULL,
  selector TEXT NOT NULL,
  -- `command`, `labels` or `remove`.
  kind TEXT NOT NULL,
  -- Encrypted JSON: arguments of commands may be secret.
  action TEXT NOT NULL,
  total INTEGER NOT NULL,
  wave_size INTEGER NOT NULL,
  pause_ms BIGINT NOT NULL,
  -- Nobody else goes on with it before; null once nothing is left to do.
  next_at BIGINT
);
CREATE INDEX bulk_runs_due ON bulk_runs (next_at) WHERE next_at IS NOT NULL;

CREATE TABLE bulk_targets (
  job_number {{key}} NOT NULL REFERENCES bulk_runs (job_number) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  ap_id TEXT NOT NULL,
  -- The record's id: another agent may have the name later.
  agent_id TEXT NOT NULL,
  -- `waiting`, `done`, `refused` or `stopped`.
  state TEXT NOT NULL,
  detail TEXT,
  command_id TEXT,
  PRIMARY KEY (job_number, number)
);
CREATE INDEX bulk_targets_waiting ON bulk_targets (job_number, number) WHERE state = 'waiting';
