-- Jobs and what comes back for them. A job is its own outbox: it is published when `published_at` is set.

CREATE TABLE jobs (
  job_number {{key}} NOT NULL PRIMARY KEY,
  task_type TEXT NOT NULL,
  owner_kind TEXT NOT NULL,
  owner_id {{key}} NOT NULL,
  owner_name TEXT NOT NULL,
  -- The ap_id of the one agent that it is about, if it is about one.
  subject {{key}},
  state TEXT NOT NULL,
  detail TEXT,
  progress DOUBLE PRECISION,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  ended_at BIGINT,
  -- Until then it may run; once ended, until then it is kept.
  expires_at BIGINT NOT NULL,
  published_at BIGINT,
  -- Nobody else publishes it before; 0 once its message is known to be lost.
  publish_after BIGINT NOT NULL,
  -- Who works on it, until when it counts as alive, and how often it was begun without a word since.
  lease_holder TEXT,
  lease_until BIGINT NOT NULL,
  attempts INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  bytes BIGINT NOT NULL,
  -- Encrypted where it holds credentials. Last, because it may be large and most readers leave it out.
  data TEXT NOT NULL
);
CREATE INDEX jobs_age ON jobs (created_at, job_number);
CREATE INDEX jobs_owner ON jobs (owner_id, created_at, job_number);
CREATE INDEX jobs_open ON jobs (owner_id) WHERE ended_at IS NULL;
CREATE INDEX jobs_subject ON jobs (subject) WHERE ended_at IS NULL AND subject IS NOT NULL;
CREATE INDEX jobs_unpublished ON jobs (task_type, created_at, job_number)
  WHERE published_at IS NULL AND ended_at IS NULL;
CREATE INDEX jobs_leased ON jobs (lease_until) WHERE lease_holder IS NOT NULL AND ended_at IS NULL;
CREATE INDEX jobs_expiry ON jobs (expires_at);

CREATE TABLE job_messages (
  job_number {{key}} NOT NULL,
  seq INTEGER NOT NULL,
  type TEXT NOT NULL,
  final INTEGER NOT NULL CHECK (final IN (0, 1)),
  ts BIGINT NOT NULL,
  chunk BIGINT,
  -- Of `data`, in UTF-8.
  bytes INTEGER NOT NULL,
  -- A JSON array, as it came.
  data TEXT NOT NULL,
  PRIMARY KEY (job_number, seq)
);
CREATE UNIQUE INDEX job_messages_chunk ON job_messages (job_number, type, chunk) WHERE chunk IS NOT NULL;

-- What no worker could do anything with, without its secrets, for the operator.
CREATE TABLE dead_letters (
  id {{key}} NOT NULL PRIMARY KEY,
  queue TEXT NOT NULL,
  reason TEXT NOT NULL,
  job_number TEXT,
  received_at BIGINT NOT NULL,
  body TEXT NOT NULL
);
CREATE INDEX dead_letters_age ON dead_letters (received_at, id);
