-- What one node of all does for the whole network. `beat` grows with every renewal: whoever sees it stand still for the
-- time of the lease may take it. No clock of one node is compared with that of another.
CREATE TABLE node_leases (
  name {{key}} NOT NULL PRIMARY KEY,
  holder TEXT,
  beat BIGINT NOT NULL
);
