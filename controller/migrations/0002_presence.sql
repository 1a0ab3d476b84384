-- When each agent was last heard of, so that a restart forgets nothing. Written in batches, a few seconds late.
CREATE TABLE presence (
  ap_id {{key}} NOT NULL PRIMARY KEY,
  last_seen BIGINT NOT NULL,
  online_since BIGINT,
  returned_at BIGINT,
  learned_interval_ms BIGINT
);
