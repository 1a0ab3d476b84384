-- The states of agents that were told as events last, so that each change is told once, across restarts and nodes.
CREATE TABLE agent_states (
  ap_id {{key}} NOT NULL PRIMARY KEY,
  -- online, late or offline; null until one was told.
  state TEXT,
  -- asleep or awake; null until an agent has said so.
  power TEXT,
  changed_at BIGINT NOT NULL
);
