-- What users have logged in to, and which tokens ended before their time.

-- One row from a user's login on, until its last token has expired. `ver`: that of the user; another one ends the session.
CREATE TABLE sessions (
  id {{key}} NOT NULL PRIMARY KEY,
  user_id {{key}} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  ver TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  renewed_at BIGINT NOT NULL,
  -- Of its newest token.
  expires_at BIGINT NOT NULL,
  -- It is not renewed beyond this.
  ends_at BIGINT NOT NULL,
  address TEXT NOT NULL,
  client TEXT NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id, renewed_at);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- Kept until the last token of the session has expired.
CREATE TABLE ended_sessions (
  id {{key}} NOT NULL PRIMARY KEY,
  ended_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX ended_sessions_age ON ended_sessions (ended_at);
CREATE INDEX ended_sessions_expiry ON ended_sessions (expires_at);
