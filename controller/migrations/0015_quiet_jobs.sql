-- Jobs whose workers never say that they are done.

-- 1: it ended because nothing more came; results that come later are stored all the same.
ALTER TABLE jobs ADD COLUMN ended_quietly INTEGER NOT NULL DEFAULT 0 CHECK (ended_quietly IN (0, 1));
CREATE INDEX jobs_delivering ON jobs (updated_at)
  WHERE ended_at IS NULL AND lease_holder IS NULL AND last_seq > 0 AND task_type IN ('agent_details', 'agent_data');
