// Telemetry in PostgreSQL while its server dies, is cut off, or is replaced by its standby, over and over.
import { describe, test } from 'vitest';
import { findPostgres } from '../test/postgres.ts';
import { cutNetwork, killServer, promoteStandby } from './telemetry-outage-rounds.ts';

describe.skipIf(findPostgres() === undefined)('telemetry in PostgreSQL', { timeout: 1_200_000 }, () => {
  test('its server is killed ten times', () => killServer(10));
  test('the network is cut ten times, every other time without a sign', () => cutNetwork(10));
  test('its standby is promoted five times', () => promoteStandby(5));
});
