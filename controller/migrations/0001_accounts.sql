-- Accounts: users, agents, third-party apps, and the one-time tokens around them.
-- JSON is TEXT, times are milliseconds since 1970, booleans are 0 or 1.

-- One row from the first administrator on, for ever. Whoever takes an administrator away updates it first, so that
-- two of them cannot pass each other.
CREATE TABLE administration (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  established_at BIGINT NOT NULL
);

CREATE TABLE users (
  username {{key}} NOT NULL PRIMARY KEY,
  id {{key}} NOT NULL UNIQUE,
  password_hash TEXT NOT NULL,
  roles TEXT NOT NULL,
  is_admin INTEGER NOT NULL CHECK (is_admin IN (0, 1)),
  ver TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX users_admins ON users (username) WHERE is_admin = 1;

CREATE TABLE recovery_requests (
  id {{key}} NOT NULL PRIMARY KEY,
  username {{key}} NOT NULL,
  requested_at BIGINT NOT NULL,
  attempts INTEGER NOT NULL,
  held_until BIGINT NOT NULL
);
CREATE INDEX recovery_requests_oldest ON recovery_requests (requested_at, id);

-- Used and replaced tokens stay until they are long expired: they count towards the hourly limit.
CREATE TABLE reset_tokens (
  token_hash {{key}} NOT NULL PRIMARY KEY,
  user_id {{key}} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  is_usable INTEGER NOT NULL CHECK (is_usable IN (0, 1))
);
CREATE INDEX reset_tokens_user ON reset_tokens (user_id, created_at);
CREATE INDEX reset_tokens_expiry ON reset_tokens (expires_at);

CREATE TABLE agents (
  ap_id {{key}} NOT NULL PRIMARY KEY,
  id {{key}} NOT NULL UNIQUE,
  password_hash TEXT NOT NULL,
  configuration TEXT NOT NULL,
  onboard INTEGER NOT NULL CHECK (onboard IN (0, 1)),
  emulated_for {{key}},
  ver TEXT NOT NULL,
  created_at BIGINT NOT NULL
);

CREATE TABLE enrolment_tokens (
  id {{key}} NOT NULL PRIMARY KEY,
  token_hash {{key}} NOT NULL UNIQUE,
  ap_id_pattern TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  max_uses BIGINT NOT NULL,
  uses BIGINT NOT NULL
);
CREATE INDEX enrolment_tokens_expiry ON enrolment_tokens (expires_at);

CREATE TABLE third_party_apps (
  app_name {{key}} NOT NULL PRIMARY KEY,
  id {{key}} NOT NULL UNIQUE,
  api_key_encrypted TEXT NOT NULL,
  permissions TEXT NOT NULL,
  ver TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
