// `weft watch`: live values, drawn in place on a terminal, otherwise as one JSON object per line.
import type { App } from '@weft/sdk';
import { silenceOf, withAccessPoint } from '../access-point-names.ts';
import { type Command, countOf, jsonOption } from '../command.ts';
import { connect, identityHelp, urlOption } from '../connection.ts';
import { toJson } from '../json-text.ts';
import { warnOfUnknownMetrics } from '../known-metrics.ts';
import { LiveScreen } from '../live-screen.ts';
import { interruptionOf, type Surroundings, writeAll } from '../surroundings.ts';
import { printable } from '../table.ts';

/** What has not been reported for so long is not expected to come. */
const recentMs = 24 * 3_600_000;

export const watchCommand: Command = {
  summary: 'show live values of access points',
  usage: ['watch AGENT... [--metric NAME]... [--json]'],
  ask: 'Give at least one access point. weft agents lists them.',
  about: `On a terminal, shows the latest values and a graph of the last minutes, until Ctrl+C. Otherwise, and with --json, prints one JSON object per sample.
${identityHelp}`,
  options: {
    metric: { value: 'NAME', about: 'only this metric; repeatable', isMany: true },
    count: { value: 'N', about: 'stop after this number of samples' },
    ...jsonOption,
    ...urlOption,
  },
  examples: ['watch ap-roof-1', 'watch ap-roof-1 ap-roof-2 --metric rssi_dbm', 'watch ap-roof-1 --json --count 10'],
  async run(line, around) {
    const count = countOf(line, 'count') ?? Number.POSITIVE_INFINITY;
    const app = connect(line, around, { patienceMs: 60_000 });
    // Fail at once if one of them does not exist.
    const found = await Promise.all(line.words.map((name) => withAccessPoint(app, name, (ap_id) => app.agent(ap_id))));
    const known = [...new Set(found.map(({ ap_id }) => ap_id))];
    const options = { agents: known, metrics: [...line.all('metric')], count };
    await warnOfUnknownMetrics(app, { agents: known, names: options.metrics, from: Date.now() - recentMs }, around);
    for (const presence of await app.presence({ agents: known })) {
      const silent = silenceOf(presence);
      const name = line.words[found.findIndex(({ ap_id }) => ap_id === presence.ap_id)] ?? presence.ap_id;
      if (silent !== undefined) around.stderr.write(`${printable(name)} ${silent}; waiting.\n`);
    }
    await (line.has('json') || !around.stdout.isTTY ? print(app, options, around) : draw(app, options, around));
  },
};

interface Watched {
  agents: string[];
  metrics: string[];
  count: number;
}

async function print(app: App, watched: Watched, around: Surroundings): Promise<void> {
  for await (const sample of samples(app, watched, around)) await writeAll(around.stdout, `${toJson(sample)}\n`);
}

async function draw(app: App, watched: Watched, around: Surroundings): Promise<void> {
  const screen = new LiveScreen(around.stdout, watched.agents);
  for (const ap_id of watched.agents) {
    const known = await app.metrics(ap_id, { window: '1h' });
    const names = known.filter(({ name }) => watched.metrics.length === 0 || watched.metrics.includes(name));
    const units = ((await app.agent(ap_id)).configuration.metrics ?? {}) as Units;
    screen.name(names.map(({ name, label }) => ({ name, label: withUnit(label, units[name]?.unit) })));
    if (names.length === 0) continue;
    const { series } = await app.series(
      ap_id,
      names.slice(0, 50).map(({ name }) => name),
      { window: '5m', maxPoints: 120 },
    );
    for (const { metric, points } of series) for (const { value } of points) screen.add(ap_id, { [metric]: value });
  }
  screen.start();
  try {
    for await (const { ap_id, metrics } of samples(app, watched, around)) screen.add(ap_id, metrics);
  } finally {
    screen.stop();
  }
}

type Units = Record<string, { unit?: unknown } | undefined>;

function withUnit(label: string, unit: unknown): string {
  return typeof unit === 'string' && unit !== '' ? `${label}, ${unit}` : label;
}

async function* samples(app: App, { agents, metrics, count }: Watched, around: Surroundings) {
  const signal = interruptionOf(around);
  let left = count;
  for await (const sample of app.live({ agents, metrics, signal })) {
    yield sample;
    if (--left <= 0) return;
  }
}
