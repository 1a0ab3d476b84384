-- Jobs wait for the share of their owner in their row, not in a queue of messages.

-- What it waits for: a slot for a `job` or for a `subscription` of its owner. Null: for nothing, or for its message.
ALTER TABLE jobs ADD COLUMN waits_for TEXT;
CREATE INDEX jobs_waiting ON jobs (waits_for, owner_id, created_at) WHERE waits_for IS NOT NULL AND ended_at IS NULL;
-- The jobs whose messages nobody has taken yet.
CREATE INDEX jobs_queued ON jobs (created_at, job_number)
  WHERE state = 'queued' AND waits_for IS NULL AND task_type IN ('agent_details', 'agent_data');
