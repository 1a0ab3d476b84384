-- Sites, the labels of agents, and which of them changed since a node last looked.

CREATE TABLE sites (
  id {{key}} NOT NULL PRIMARY KEY,
  -- Steps separated by slashes. What is above it need not exist.
  path {{key}} NOT NULL UNIQUE,
  name TEXT NOT NULL,
  latitude DOUBLE PRECISION,
  longitude DOUBLE PRECISION,
  time_zone TEXT,
  notes TEXT NOT NULL,
  created_at BIGINT NOT NULL
);

ALTER TABLE agents ADD COLUMN display_name TEXT;
ALTER TABLE agents ADD COLUMN site_id {{key}} REFERENCES sites (id);
-- A JSON array, ordered.
ALTER TABLE agents ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
CREATE INDEX agents_site ON agents (site_id) WHERE site_id IS NOT NULL;

-- One row. Every transaction that changes agents or sites raises it and holds it until its end, so that revisions become
-- visible in their order; `sites` is the revision of the last change of sites.
CREATE TABLE fleet_revision (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  revision BIGINT NOT NULL,
  sites BIGINT NOT NULL,
  -- Removals up to here are forgotten: who knows only older revisions reads everything again.
  forgotten BIGINT NOT NULL
);
INSERT INTO fleet_revision (id, revision, sites, forgotten) VALUES (1, 1, 0, 0);

ALTER TABLE agents ADD COLUMN revision BIGINT NOT NULL DEFAULT 1;
CREATE INDEX agents_revision ON agents (revision);
CREATE TABLE removed_agents (
  revision BIGINT NOT NULL,
  ap_id {{key}} NOT NULL,
  PRIMARY KEY (revision, ap_id)
);
