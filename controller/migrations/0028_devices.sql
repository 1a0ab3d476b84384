-- Devices: where they are attached, under their pseudonyms. The addresses that they stand for are nowhere in the database.

CREATE TABLE device_links (
  device {{key}} NOT NULL,
  ap_id {{key}} NOT NULL,
  since BIGINT NOT NULL,
  -- The time of the list that said so last.
  seen BIGINT NOT NULL,
  -- Null while it is attached; else it is kept for a while, so that other nodes and the next start learn of it.
  left_at BIGINT,
  is_randomised INTEGER NOT NULL,
  -- When the row was written, by the clock of the node that did.
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (device, ap_id)
);
CREATE INDEX device_links_agent ON device_links (ap_id);
CREATE INDEX device_links_updated ON device_links (updated_at);

-- The access points that say which devices they serve, with the newest values of all of their devices at once: one row every
-- few seconds instead of one for each device.
CREATE TABLE device_lists (
  ap_id {{key}} NOT NULL PRIMARY KEY,
  ts BIGINT NOT NULL,
  -- JSON
  device_values TEXT NOT NULL,
  node {{key}} NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX device_lists_updated ON device_lists (updated_at);

-- The moves of one device are read by its name.
CREATE INDEX event_log_device_names ON event_log (subject, id) WHERE subject_kind = 'device';
