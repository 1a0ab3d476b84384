-- Events about many devices at once, such as those of an access point that went offline: one row of the event log, and here the
-- devices that it is about, so that each of them finds it and can be taken out of it.
CREATE TABLE grouped_devices (
  event_id BIGINT NOT NULL,
  device {{key}} NOT NULL,
  PRIMARY KEY (event_id, device)
);
CREATE INDEX grouped_devices_device ON grouped_devices (device, event_id);
CREATE INDEX event_log_device_groups ON event_log (id) WHERE subject_kind = 'devices';
