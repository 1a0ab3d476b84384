-- The version of the model that a run was created for. Runs from before are of the first.
ALTER TABLE emulator_runs ADD COLUMN model INTEGER NOT NULL DEFAULT 1;
