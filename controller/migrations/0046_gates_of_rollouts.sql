-- Which devices an access point served when it was asked, as hashes that mean something only for this roll-out; not how many.
ALTER TABLE config_rollout_agents ADD COLUMN devices TEXT;
ALTER TABLE config_rollout_agents DROP COLUMN devices_before;
-- Since when it runs what it was given.
ALTER TABLE agent_configs ADD COLUMN trial_at BIGINT;
