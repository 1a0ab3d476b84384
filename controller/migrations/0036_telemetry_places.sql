-- Telemetry in PostgreSQL may be spread over several servers: which there are, and on which of them each agent lies.

CREATE TABLE telemetry_servers (
  -- As the server itself has it, in its table telemetry_identity.
  id {{key}} NOT NULL PRIMARY KEY,
  -- Hosts and database at which it was last seen.
  place TEXT NOT NULL,
  -- 1: no new agents are placed on it, and its agents are moved to others.
  is_drained INTEGER NOT NULL
);

-- The first one who places an agent decides for all nodes. It stays there, whatever servers come later, until it is moved.
CREATE TABLE telemetry_places (
  ap_id {{key}} NOT NULL PRIMARY KEY,
  server {{key}} NOT NULL
);
CREATE INDEX telemetry_places_by_server ON telemetry_places (server);
