-- How the guard of a command ended, and the command that restores what was set before.
ALTER TABLE commands ADD COLUMN guard_state TEXT;
ALTER TABLE commands ADD COLUMN rolled_back_by {{key}};
