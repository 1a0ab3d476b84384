-- Commands about devices, and decisions against some, for the erasure of a device.
CREATE INDEX commands_devices ON commands (created_at) WHERE name IN ('steer_device', 'set_link_policy');
CREATE INDEX event_log_conflicts ON event_log (id) WHERE subject_kind = 'conflict';
