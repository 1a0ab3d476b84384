-- What people and Weft note about single devices, under their pseudonyms.

-- One row: grows with every change of these tables, so that nodes learn what others have changed.
CREATE TABLE device_extras_head (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  version BIGINT NOT NULL,
  -- Whether an administrator has allowed clear addresses.
  clear_addresses INTEGER NOT NULL
);
INSERT INTO device_extras_head (id, version, clear_addresses) VALUES (1, 0, 0);

-- Devices that refused to be moved, or went back at once.
CREATE TABLE device_sticky (
  device {{key}} NOT NULL PRIMARY KEY,
  reason TEXT NOT NULL,
  target {{key}} NOT NULL,
  until_ms BIGINT NOT NULL
);

-- Devices whose history is kept.
CREATE TABLE device_watches (
  device {{key}} NOT NULL PRIMARY KEY,
  until_ms BIGINT NOT NULL,
  caller_kind TEXT NOT NULL,
  caller_id {{key}} NOT NULL
);

-- Devices that were erased a moment ago, so that other nodes forget them too. Kept for minutes.
CREATE TABLE device_erasures (
  device {{key}} NOT NULL PRIMARY KEY,
  at_ms BIGINT NOT NULL
);

-- Pseudonyms that are one device.
CREATE TABLE device_identities (
  identity {{key}} NOT NULL PRIMARY KEY,
  device {{key}} NOT NULL
);
CREATE INDEX device_identities_device ON device_identities (device);
