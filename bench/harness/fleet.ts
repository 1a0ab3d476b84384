// A thousand agents at once: their records are written straight into the data folder before Weft starts, because a
// thousand passwords would take a minute to hash and measure nothing.
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { noLabels } from '../../controller/src/core/accounts/agents/agent-record.ts';
import { AgentStore } from '../../controller/src/core/accounts/agents/agent-store.ts';
import { readOrCreateSecret } from '../../controller/src/core/base/secret-file.ts';
import { Keyring } from '../../controller/src/core/base/secrets.ts';
import { openPostgres } from '../../controller/src/core/base/storage/sql-database.postgres.ts';
import { openSqlite } from '../../controller/src/core/base/storage/sql-database.sqlite.ts';

export interface StoredAgent {
  ap_id: string;
  token: string;
}

/** In the data folder, or in the database of a cluster. */
export async function prepareFleet(
  dataDir: string,
  count: number,
  cluster?: { databaseUrl: string; secret: string },
  configuration: Record<string, unknown> = {},
): Promise<StoredAgent[]> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const key = new Keyring(cluster?.secret ?? readOrCreateSecret(dataDir)).tokenKeys[0]!;
  const database = cluster ? openPostgres(cluster.databaseUrl) : openSqlite(join(dataDir, 'weft.db'));
  await database.migrate();
  const agents = new AgentStore(database);
  const now = Math.floor(Date.now() / 1000);
  const fleet: StoredAgent[] = [];
  for (let index = 0; index < count; index++) {
    const ap_id = `ap-${index}`;
    const ver = randomUUID();
    const record = { id: randomUUID(), ap_id, password_hash: '-', configuration, emulated_for: null, ver };
    await agents.create({ ...record, onboard: true, created_at: Date.now(), ...noLabels });
    const token = await new SignJWT({ scope: 'agent', ver })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer('weft')
      .setSubject(ap_id)
      .setJti(randomUUID())
      .setIssuedAt(now)
      .setExpirationTime(now + 6 * 3600)
      .sign(key);
    fleet.push({ ap_id, token });
  }
  await database.close();
  return fleet;
}

/** Ten metrics of a radio, each wandering about with two decimals. */
export class Radio {
  static readonly names = [
    'rsrp_dbm',
    'sinr_db',
    'tx_power_dbm',
    'throughput_mbps',
    'prb_load_percent',
    'devices_connected',
    'retries_percent',
    'latency_ms',
    'energy_watts',
    'temperature_celsius',
  ];
  readonly #values = Radio.names.map((_, index) => 10 + index * 7);

  next(): number[] {
    for (let index = 0; index < this.#values.length; index++) {
      this.#values[index] = Math.round((this.#values[index]! + (Math.random() - 0.5)) * 100) / 100;
    }
    return [...this.#values];
  }

  fields(): Record<string, number> {
    const values = this.next();
    return Object.fromEntries(Radio.names.map((name, index) => [name, values[index]!]));
  }
}
