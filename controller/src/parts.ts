// All parts of Weft: the core, and its two tenants. `WEFT_PARTS=core` runs it without them.
import { StartError } from './core/base/errors.ts';
import type { SqlQueries } from './core/base/storage/sql-database.ts';
import { createCoreParts } from './core/core-parts.ts';
import type { Events } from './core/events.ts';
import type { Platform } from './core/part.ts';
import { createLabPart } from './lab/lab-part.ts';
import { createOperationsParts } from './operations/operations-parts.ts';

/** In the order in which they start. */
export function createParts(platform: Platform, events: Events) {
  const core = createCoreParts(platform, events);
  const lab = createLabPart({ ...platform, emulator: core.emulator, devices: core.devices });
  return { ...core, lab, ...createOperationsParts(platform, core, events) };
}

/** Of parts outside of the core. No SQL of the core names one of them. */
export const tenantTables = [
  ...['alarms', 'alarm_head', 'alarm_products', 'alarm_rules', 'silences', 'incidents', 'incident_impact'],
  ...[
    'agent_configs',
    'config_change_sets',
    'config_head',
    'config_layers',
    'config_layer_versions',
    'config_rollouts',
  ],
  ...['config_rollout_agents', 'config_secrets', 'config_variables'],
  ...['notifications', 'webhooks', 'webhook_deliveries', 'webhook_waiting', 'data_migration'],
];

/** Always have their one row. */
const heads = new Set(['alarm_head', 'config_head']);

/** Throws StartError where other parts have rows: these would outlive their callers, and no part would go on with them. */
export async function refuseDataOfTenants(database: SqlQueries): Promise<void> {
  for (const table of tenantTables.filter((name) => !heads.has(name))) {
    const [row] = await database.query(`SELECT 1 AS found FROM ${table} LIMIT 1`);
    if (!row) continue;
    throw new StartError(
      `WEFT_PARTS=core is for data that no process with all parts has written, and the table ${table} has rows: ` +
        'start without WEFT_PARTS, or on an empty data folder',
    );
  }
}
