-- Active alarms that were removed up to this version are forgotten: who knows only older versions reads all active ones again.
ALTER TABLE alarm_head ADD COLUMN forgotten BIGINT NOT NULL DEFAULT 0;
