-- How many consumers of each queue of the broker are those of Weft's own processes: AMQP tells only how many there are.

CREATE TABLE queue_consumers (
  -- One process of Weft.
  node {{key}} NOT NULL,
  queue {{key}} NOT NULL,
  consumers INTEGER NOT NULL,
  seen_at BIGINT NOT NULL,
  PRIMARY KEY (node, queue)
);

-- Jobs for workers, those in somebody's hand included.
CREATE INDEX jobs_for_workers ON jobs (task_type, created_at, job_number)
  WHERE ended_at IS NULL AND waits_for IS NULL AND task_type IN ('agent_details', 'agent_data', 'emulator_spinup');
DROP INDEX jobs_delivering;
DROP INDEX jobs_queued;
