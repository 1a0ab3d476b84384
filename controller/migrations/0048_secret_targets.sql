-- Secrets belong to an access point, a site or the installation, as variables do; layers and secrets know who made them, and
-- versions of layers how far the names of secrets in them reach.
ALTER TABLE config_secrets RENAME TO config_secrets_before;
CREATE TABLE config_secrets (
  -- `agent`, `site`, or `all` for the installation.
  scope {{key}} NOT NULL,
  -- The id of the agent or of the site; empty for the installation.
  target {{key}} NOT NULL,
  name {{key}} NOT NULL,
  version INTEGER NOT NULL,
  -- Encrypted.
  value TEXT NOT NULL,
  -- 1: whoever writes a layer may name it.
  is_shared INTEGER NOT NULL,
  -- Who made it; empty: nobody, for what lay there before this was asked.
  owner_kind TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (target, name)
);
INSERT INTO config_secrets (scope, target, name, version, value, is_shared, owner_kind, owner_id, updated_at)
  SELECT 'all', '', name, version, value, 0, '', '', updated_at FROM config_secrets_before;
DROP TABLE config_secrets_before;
-- No version of a secret that is gone is above this one: a new secret of its name begins above it.
ALTER TABLE config_head ADD COLUMN gone_secret_version INTEGER NOT NULL DEFAULT 0;

-- Who made the layer, with every version of it; empty: nobody.
ALTER TABLE config_layers ADD COLUMN owner_kind TEXT NOT NULL DEFAULT '';
ALTER TABLE config_layers ADD COLUMN owner_id TEXT NOT NULL DEFAULT '';
ALTER TABLE config_layer_versions ADD COLUMN owner_kind TEXT NOT NULL DEFAULT '';
ALTER TABLE config_layer_versions ADD COLUMN owner_id TEXT NOT NULL DEFAULT '';
-- JSON: leaves with the selectors that whoever wrote and rolled out their names managed; null: made before this was asked,
-- everything.
ALTER TABLE config_layer_versions ADD COLUMN reach TEXT;

-- JSON: who else has written the draft, beside its owner.
ALTER TABLE config_change_sets ADD COLUMN writers TEXT NOT NULL DEFAULT '[]';
