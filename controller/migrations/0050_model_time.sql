-- What time it is in the network, as whoever runs it has said last, in milliseconds; null until then.
ALTER TABLE emulator_runs ADD COLUMN model_time BIGINT;
