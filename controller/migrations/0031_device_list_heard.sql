-- When Weft heard the newest list of an access point, by its own clock: the time of the list is that of the access point, or of
-- an emulated model, and may lie in the past.
ALTER TABLE device_lists ADD COLUMN heard_at BIGINT NOT NULL DEFAULT 0;
UPDATE device_lists SET heard_at = updated_at;
