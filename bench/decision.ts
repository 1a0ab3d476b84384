// How long does a conflict decision take, without the commit, while a hundred thousand leases are alive? Reads what it needs
// from a real database file and decides, one intent at a time; once about the agent alone, once with its neighbours.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { openSqlite } from '../controller/src/core/base/storage/sql-database.sqlite.ts';
import { runRows } from '../controller/src/core/base/storage/sql-rows.ts';
import { BlastRadius } from '../controller/src/core/commands/arbitration/blast-radius.ts';
import type { Intent } from '../controller/src/core/commands/arbitration/conflict-intent.ts';
import { defaultConflictRules, groupOf } from '../controller/src/core/commands/arbitration/parameter-groups.ts';
import { Surroundings } from '../controller/src/core/commands/arbitration/surroundings.ts';
import { CommandDecision } from '../controller/src/core/commands/ledger/command-decision.ts';
import { CommandStateMachine } from '../controller/src/core/commands/ledger/command-state-machine.ts';
import { CommandStore } from '../controller/src/core/commands/ledger/command-store.ts';
import { LedgerBatch, ReadSet } from '../controller/src/core/commands/ledger/ledger-batch.ts';
import { Event } from '../controller/src/core/event-kinds.ts';
import { readFacts } from '../controller/src/core/network/agent-facts.ts';
import type { AgentRow } from '../controller/src/core/network/agent-rows.ts';
import { percentile } from './harness/load.ts';
import { createDataDir } from './harness/processes.ts';
import { type Figure, keep } from './harness/results.ts';

const agentCount = 20_000;
/** One of them is decided about agent by agent, the other with the neighbours within range. */
const parameters = ['tx_power', 'channel', 'report_interval', 'power_state', 'tilt'];
const rounds = 5_000;
const rules = defaultConflictRules;
const nowMs = Date.now();

const database = openSqlite(join(createDataDir(), 'weft.db'));
await database.migrate();
const store = new CommandStore(database);
const agents: AgentRow[] = [];
const nameOf = (n: number) => `ap-${n}`;
for (let n = 0; n < agentCount; n++) {
  // WiFi on a grid of 20 m: as many neighbours as an office has.
  const geolocation = { latitude: 51 + Math.floor(n / 150) * 0.00018, longitude: -2 + (n % 150) * 0.00029 };
  const facts = readFacts({ geolocation, access_point_type: 'WiFi' });
  agents.push({ ap_id: nameOf(n), site: null, emulated_for: null, isEnded: false, ...facts } as AgentRow);
}
await database.transaction(async (tx) => {
  const rows = [];
  for (let n = 0; n < agentCount; n++) {
    for (const parameter of parameters) {
      const group = groupOf(rules, 'WiFi', parameter).name;
      const value = JSON.stringify({ name: `set_${parameter}`, args: { value: 1 } });
      rows.push([
        ...[nameOf(n), parameter, 'energy', group, randomUUID(), 'third_party_app', 'energy'],
        ...[1, 50, nowMs, nowMs + 3_600_000, value],
      ]);
    }
  }
  await runRows(
    tx,
    `INSERT INTO leases (ap_id, parameter, caller_id, parameter_group, command_id, caller_kind, caller_name, rank, priority,
       since, until, value) VALUES {{rows}}`,
    rows,
  );
});

const decision = new CommandDecision({
  surroundings: new Surroundings({ agents, taken: new Event(), gone: new Event() }, rules),
  blast: new BlastRadius(),
  life: new CommandStateMachine({ retentionMs: 86_400_000, resendMs: 15_000 }),
  isSent: () => false,
});

async function measure(parameter: string): Promise<{ sorted: number[]; lost: number; near: number }> {
  const times: number[] = [];
  let lost = 0;
  let near = 0;
  await database.transaction(async (tx) => {
    for (let n = 0; n < rounds; n++) {
      const intent = intentFor(nameOf((n * 7919) % agentCount), parameter);
      const startedAt = performance.now();
      const batch = new LedgerBatch({ tx, store, rules, nowMs, open: new Map() });
      const reads = new ReadSet();
      decision.readSet(reads, rules, intent);
      await batch.load(reads);
      const { verdict } = decision.look(batch, intent).decision;
      times.push(performance.now() - startedAt);
      if (verdict === 'rejected') lost++;
      near += [...reads.near.values()].reduce((sum, agents) => sum + agents.size, 0);
    }
  });
  return { sorted: times.slice(500).sort((a, b) => a - b), lost, near: near / rounds };
}

function intentFor(ap_id: string, parameter: string): Intent {
  return {
    command_id: randomUUID(),
    ap_id,
    technology: 'WiFi',
    site: null,
    parameter,
    name: `set_${parameter}`,
    args: { value: 2 },
    caller_kind: 'third_party_app',
    caller_id: 'balancer',
    caller_name: 'balancer',
    rank: 1,
    priority: 40,
    hold_seconds: null,
    expires_at: nowMs + 600_000,
    declaration: null,
  };
}

const figures: Figure[] = [];
for (const parameter of ['report_interval', 'channel']) {
  const { sorted, lost, near } = await measure(parameter);
  const p99 = percentile(sorted, 0.99);
  figures.push({
    question: `a decision about ${parameter} among ${agentCount * parameters.length} live leases, ${near.toFixed(0)} neighbours asked`,
    value: `p50 ${percentile(sorted, 0.5).toFixed(3)} ms, p99 ${p99.toFixed(3)} ms`,
    against: `${lost} of ${rounds} lost to a lease`,
    goal: 'p99 ≤ 1 ms',
    ok: p99 <= 1 && lost > 0,
  });
}
keep('decision', figures);
await database.close();
