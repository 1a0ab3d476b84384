-- Accounts that people created for themselves and that an administrator has not approved yet: since when, or null.
ALTER TABLE users ADD COLUMN waiting_since BIGINT;
CREATE INDEX users_waiting ON users (waiting_since, username) WHERE waiting_since IS NOT NULL;
