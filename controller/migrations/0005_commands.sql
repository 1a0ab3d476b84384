-- Commands to agents, who holds which parameter of which agent, and what was last set.

CREATE TABLE commands (
  command_id {{key}} NOT NULL PRIMARY KEY,
  job_number {{key}} NOT NULL,
  ap_id {{key}} NOT NULL,
  -- The record's id: another agent may have the name later.
  agent_id TEXT NOT NULL,
  name TEXT NOT NULL,
  parameter {{key}} NOT NULL,
  parameter_group {{key}} NOT NULL,
  -- In whose name it is decided; the owner sees it and its job.
  caller_kind TEXT NOT NULL,
  caller_id {{key}} NOT NULL,
  caller_name TEXT NOT NULL,
  owner_kind TEXT NOT NULL,
  owner_id {{key}} NOT NULL,
  rank INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  state TEXT NOT NULL,
  verdict TEXT NOT NULL,
  reason TEXT NOT NULL,
  detail TEXT NOT NULL,
  rival TEXT,
  hold_until BIGINT,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  -- Waits for a lease to end; then it is decided again.
  deliver_after BIGINT,
  -- When it is to be sent, or sent again; null once nothing is to be sent any more.
  due_at BIGINT,
  sent_at BIGINT,
  received_at BIGINT,
  ended_at BIGINT,
  idempotency_key {{key}},
  guard TEXT,
  -- How long the guard is watched once the command has succeeded.
  settle_ms BIGINT,
  -- Until then the guard is watched.
  guard_until BIGINT,
  inverse_of TEXT,
  batch_id {{key}},
  -- JSON. `previous`: what was set before, for a guard; `intent`: what to decide again.
  args TEXT NOT NULL,
  sent_args TEXT,
  applied TEXT,
  previous TEXT,
  intent TEXT,
  result TEXT
);
CREATE UNIQUE INDEX commands_key ON commands (owner_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX commands_age ON commands (created_at, command_id);
CREATE INDEX commands_owner ON commands (owner_id, created_at, command_id);
CREATE INDEX commands_agent ON commands (ap_id, created_at, command_id);
CREATE INDEX commands_open ON commands (ap_id, created_at) WHERE ended_at IS NULL;
CREATE INDEX commands_open_owner ON commands (owner_id) WHERE ended_at IS NULL;
CREATE INDEX commands_expiry ON commands (expires_at) WHERE ended_at IS NULL;
CREATE INDEX commands_deferred ON commands (deliver_after) WHERE ended_at IS NULL AND deliver_after IS NOT NULL;
CREATE INDEX commands_resend ON commands (ap_id, due_at) WHERE state = 'sent';
CREATE INDEX commands_guarded ON commands (guard_until) WHERE guard_until IS NOT NULL;
CREATE INDEX commands_ended ON commands (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE leases (
  ap_id {{key}} NOT NULL,
  parameter {{key}} NOT NULL,
  caller_id {{key}} NOT NULL,
  parameter_group {{key}} NOT NULL,
  command_id {{key}} NOT NULL,
  caller_kind TEXT NOT NULL,
  caller_name TEXT NOT NULL,
  rank INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  since BIGINT NOT NULL,
  until BIGINT NOT NULL,
  -- JSON: what its holder asked for.
  value TEXT NOT NULL,
  PRIMARY KEY (ap_id, parameter, caller_id)
);
CREATE INDEX leases_group ON leases (parameter_group, ap_id);
CREATE INDEX leases_end ON leases (until);

CREATE TABLE parameter_states (
  ap_id {{key}} NOT NULL,
  parameter {{key}} NOT NULL,
  changed_at BIGINT NOT NULL,
  frozen_until BIGINT,
  -- JSON. The last values that were sent; the last one that the agent says it has set.
  recent TEXT NOT NULL,
  value TEXT,
  PRIMARY KEY (ap_id, parameter)
);
CREATE INDEX parameter_states_age ON parameter_states (changed_at);

-- One row, once an operator has changed the rules.
CREATE TABLE conflict_rules (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  version INTEGER NOT NULL,
  rules TEXT NOT NULL
);

-- Roll-outs in stages that are still under way.
CREATE TABLE command_batches (
  batch_id {{key}} NOT NULL PRIMARY KEY,
  owner_id {{key}} NOT NULL,
  next_at BIGINT NOT NULL,
  -- JSON: who, what, to whom, and how far it has come.
  plan TEXT NOT NULL
);
CREATE INDEX command_batches_due ON command_batches (next_at);
CREATE INDEX command_batches_owner ON command_batches (owner_id);
