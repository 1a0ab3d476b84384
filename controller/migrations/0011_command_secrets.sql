-- Text and arguments of a command with secret arguments, encrypted, until the command ends; `args`, `sent_args` and `text`
-- have fingerprints in their place. Null for all others.
ALTER TABLE commands ADD COLUMN sealed TEXT;
