-- Accounts that an administrator has disabled: since when and by whom, or null. `disabled_by` is a name, which may be gone later.
ALTER TABLE users ADD COLUMN disabled_at BIGINT;
ALTER TABLE users ADD COLUMN disabled_by TEXT;
CREATE INDEX users_disabled ON users (username) WHERE disabled_at IS NOT NULL;

-- An administrator who is disabled administers nothing.
DROP INDEX users_admins;
CREATE INDEX users_admins ON users (username) WHERE is_admin = 1 AND disabled_at IS NULL;
