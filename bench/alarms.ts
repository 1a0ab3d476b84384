// What do alarms cost? 10,000 agents report ten metrics each second into the store of a whole Weft in this process (behind HTTP,
// whose cost is that of the bench `ingest`), with twenty rules on each of them and without, in turns.
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { AlarmRuleInput } from '@weft/contract/operations';
import { noLabels } from '../controller/src/core/accounts/agents/agent-record.ts';
import { system } from '../controller/src/core/base/caller.ts';
import { loadConfig } from '../controller/src/core/base/config.ts';
import { serve } from '../controller/src/serve.ts';
import { Radio } from './harness/fleet.ts';
import { createDataDir } from './harness/processes.ts';
import { type Figure, keep } from './harness/results.ts';

const everybody = { kind: 'user', id: 'bench', name: 'bench', roles: ['admin'], isAdmin: true } as const;

const agentCount = 10_000;
/** Each as often and, in the middle, as early as the other. */
const turns = ['with', 'without', 'without', 'with'] as const;
const seconds = 15;
const slices = 50;

const dataDir = createDataDir();
const env = { WEFT_PORT: '0', WEFT_DATA_DIR: dataDir, WEFT_LOG_LEVEL: 'silent', WEFT_EMULATOR_MAX_RUNS: '0' };
const weft = await serve(loadConfig({ env, file: {}, flags: {} }));
const { database } = weft.platform;
const { alarms, agents, telemetry } = weft.parts;
const fleet = Array.from({ length: agentCount }, (_, n) => ({
  agent: { kind: 'agent', id: randomUUID(), name: `ap-${n}` } as const,
  radio: new Radio(),
}));
try {
  await database.transaction((tx) =>
    agents.agentStore.createAll(
      tx,
      fleet.map(({ agent: { id, name: ap_id } }) => ({
        id,
        ap_id,
        password_hash: '-',
        configuration: {},
        emulated_for: null,
        ver: id,
        onboard: true,
        created_at: Date.now(),
        ...noLabels,
      })),
    ),
  );
  for (const { id } of (await alarms.alarmRules.list(everybody)).items) await alarms.alarmRules.remove(id, system);
  const rules = twentyRules();
  const ids: string[] = [];
  for (const rule of rules) ids.push((await alarms.alarmRules.create(rule, system)).id);
  await alarms.refresh();
  keep('alarms', await compare(rules, ids));
} finally {
  await weft.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

async function compare(rules: AlarmRuleInput[], ids: string[]): Promise<Figure[]> {
  const costs = { with: [] as number[], without: [] as number[] };
  const looksBefore = alarms.samples.looks;
  await report(3);
  for (const what of turns) {
    for (const [index, id] of ids.entries()) {
      await alarms.alarmRules.update(id, { ...rules[index]!, enabled: what === 'with' }, system);
    }
    // What is learned once is no cost of every second.
    do await report(2);
    while (alarms.samples.waiting > 0);
    costs[what].push(await report(seconds));
    process.stderr.write(`${what} rules: ${costs[what].at(-1)!.toFixed(1)} % of a core\n`);
  }
  const [withRules, without] = [mean(costs.with), mean(costs.without)];
  const more = withRules - without;
  return [
    {
      question: `${agentCount.toLocaleString('en')} agents at 1 Hz, ten metrics, ${rules.length} rules on each`,
      value: `${more.toFixed(1)} % of a core more (${withRules.toFixed(0)} % against ${without.toFixed(0)} %, without HTTP)`,
      against: `without rules, in turns; ${alarms.samples.looks - looksBefore} looks into the store, ${alarms.activeAlarms.activeCount} alarms at the end`,
      goal: '≤ 15 % of a core',
      ok: more <= 15,
    },
  ];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * Resolves the processor time of the main thread, in percent of a core: rules are evaluated there, while the store's own
 * thread seals in some turns and not in others.
 */
async function report(forSeconds: number): Promise<number> {
  const before = process.threadCpuUsage();
  const start = performance.now();
  const size = Math.ceil(fleet.length / slices);
  for (let slice = 0; slice < forSeconds * slices; slice++) {
    const from = (slice % slices) * size;
    const receivedMs = Date.now();
    const stored = fleet.slice(from, from + size).map(({ agent, radio }) => {
      const sample = { ts: receivedMs, names: Radio.names, values: radio.next(), texts: [] };
      return telemetry.telemetry.record(agent, {
        samples: [sample],
        configuration: undefined,
        receivedMs,
        locOf: () => ['body'],
      });
    });
    await Promise.all(stored);
    await setTimeout(Math.max(0, start + ((slice + 1) * 1000) / slices - performance.now()));
  }
  const { user, system: kernel } = process.threadCpuUsage(before);
  return ((user + kernel) / 1000 / (performance.now() - start)) * 100;
}

/** Of every kind that looks at samples. A few agents break some of them at any time. */
function twentyRules(): AlarmRuleInput[] {
  const limits = Radio.names.map((metric, index): AlarmRuleInput['condition'] => {
    return { metric, op: '>', value: 10 + index * 7 + 6 };
  });
  const means = Radio.names.slice(0, 5).map((metric, index): AlarmRuleInput['condition'] => {
    return { metric, op: '<', value: 10 + index * 7 - 6, over_seconds: 60 };
  });
  const changes = Radio.names.slice(5, 8).map((metric): AlarmRuleInput['condition'] => {
    return { metric, change: '<>', value: 8, within_seconds: 60 };
  });
  const pairs = Radio.names.slice(8).map((metric): AlarmRuleInput['condition'] => {
    return { metric, op: '<', other_metric: 'rsrp_dbm', times: 2 };
  });
  return [...limits, ...means, ...changes, ...pairs].map((condition, index) => ({
    name: `rule ${index}`,
    condition,
    for_seconds: 10,
    severity: 'minor',
  }));
}
