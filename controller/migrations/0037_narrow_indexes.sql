-- Lists of commands and jobs are sorted by their time, and by their id within a millisecond. The id is not worth its place in
-- five indexes that every command changes: those few rows are sorted when they are read.

DROP INDEX commands_age;
DROP INDEX commands_owner;
DROP INDEX commands_agent;
DROP INDEX jobs_age;
DROP INDEX jobs_owner;

CREATE INDEX commands_age ON commands (created_at);
CREATE INDEX commands_owner ON commands (owner_id, created_at);
CREATE INDEX commands_agent ON commands (ap_id, created_at);
CREATE INDEX jobs_age ON jobs (created_at);
CREATE INDEX jobs_owner ON jobs (owner_id, created_at);

-- Of two indexes that seem equally good SQLite takes the newer one: those of what is open must be that.
DROP INDEX commands_open;
DROP INDEX commands_open_owner;
DROP INDEX jobs_open;
CREATE INDEX commands_open ON commands (ap_id, created_at) WHERE ended_at IS NULL;
CREATE INDEX commands_open_owner ON commands (owner_id) WHERE ended_at IS NULL;
CREATE INDEX jobs_open ON jobs (owner_id) WHERE ended_at IS NULL;
