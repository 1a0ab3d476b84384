// Telemetry in PostgreSQL while its server dies, once. `telemetry-outages.long.test.ts` has the many rounds, the network
// that is cut, and the standby.
import { test } from 'vitest';
import { findPostgres } from '../test/postgres.ts';
import { killServer } from './telemetry-outage-rounds.ts';

test.skipIf(findPostgres() === undefined)('the server of telemetry is killed', () => killServer(1));
