-- How far the event log was looked at for commands that lie over settings.
ALTER TABLE config_head ADD COLUMN seen_event BIGINT NOT NULL DEFAULT 0;
