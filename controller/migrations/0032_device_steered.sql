-- Devices that were moved by a command a moment ago: one that is back within minutes would not stay. A row ends after five
-- minutes, or when the device is back.
CREATE TABLE device_steered (
  device {{key}} NOT NULL PRIMARY KEY,
  -- The access point that it was attached to.
  ap_id {{key}} NOT NULL,
  target {{key}} NOT NULL,
  until_ms BIGINT NOT NULL
);
