-- What a user may do where: a JSON array of {role, selector}. Empty: a viewer of all.
ALTER TABLE users ADD COLUMN grants TEXT NOT NULL DEFAULT '[]';
