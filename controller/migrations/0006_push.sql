-- The secrets with which pushes to agents are signed, encrypted. A row also says which node pushes to the agent now.
CREATE TABLE push_secrets (
  ap_id {{key}} NOT NULL PRIMARY KEY,
  agent_id TEXT NOT NULL,
  secret_encrypted TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  claimed_by TEXT,
  claimed_until BIGINT NOT NULL
);
