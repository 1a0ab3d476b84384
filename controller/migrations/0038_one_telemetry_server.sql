-- Telemetry in PostgreSQL is on one server again. Not applied while agents lie on several: storage/migrations.ts looks first.

DROP TABLE telemetry_places;
DROP TABLE telemetry_servers;
