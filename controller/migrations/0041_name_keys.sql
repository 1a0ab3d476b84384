-- What the names of access points are compared by, so that no two new ones look alike. The code fills it in: SQL does not know
-- which letters look the same. Names from before may be alike, so it is not unique.
ALTER TABLE agents ADD COLUMN name_key {{key}};
CREATE INDEX agents_name_key ON agents (name_key);
