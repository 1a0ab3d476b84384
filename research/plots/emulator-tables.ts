// The tables of docs/emulator.md that are generated from the model: metrics, commands, and ns-3 beside it. Each is enclosed in two
// comments that name it.
import { durations } from '../../emulator/src/access-points/access-point.ts';
import { commandsOf, type DeclaredCommand, setters } from '../../emulator/src/access-points/command-table.ts';
import { metricsOf } from '../../emulator/src/access-points/metrics.ts';
import { pace, powerRanges } from '../../emulator/src/access-points/settings.ts';
import { type AccessPointType, accessPointTypes } from '../../emulator/src/world/world-spec.ts';
import { ns3Cases } from '../ns3/cases.ts';
import { emulatedMbps } from '../ns3/emulated-cells.ts';
import { ns3Results } from '../ns3/ns3-results.ts';
import { definitionOf } from './metric-definitions.ts';

const tables: Record<string, () => string> = { metrics: metricsTable, commands: commandsTable, 'ns-3': ns3Table };

/** The page with its tables regenerated from the model. Throws if the page has no place for a table. */
export function withTables(page: string): string {
  return Object.entries(tables).reduce((text, [name, make]) => {
    const [begin, end] = [`<!-- ${name}: made by research/plot-emulator.ts -->\n`, `<!-- end of ${name} -->`];
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`the page has no place for ${name}`);
    return `${text.slice(0, from + begin.length)}\n${make()}\n\n${text.slice(to)}`;
  }, page);
}

function metricsTable(): string {
  const byType = accessPointTypes.map((type) => metricsOf(type));
  const names = new Set(byType.flatMap((metrics) => Object.keys(metrics)));
  const lines = [...names].map((name) => {
    const known = byType.flatMap((metrics) => metrics[name] ?? []);
    const labels = [...new Set(known.map(({ label }) => label))].join(', ');
    const marks = byType.map((metrics) => (Object.hasOwn(metrics, name) ? '●' : ''));
    const alias = known.find((metric) => metric.alias !== undefined)?.alias;
    const { definition, clause } = definitionOf(name);
    const standard = alias === undefined ? '' : `\`${alias}\`${clause === undefined ? '' : ` (${clause})`}`;
    return [`\`${name}\``, labels, known[0]!.unit, ...marks, definition, standard];
  });
  return table(['Metric', 'Label', 'Unit', ...accessPointTypes, 'Definition', '3GPP name (clause)'], lines);
}

/** Goodput in Mb/s: ns-3 beside the emulator, cell by cell. */
function ns3Table(): string {
  const inWords = (mbps: readonly number[]) => mbps.map((value) => value.toFixed(value < 20 ? 1 : 0)).join(', ');
  const lines = ns3Cases.map((each) => {
    const { mbps } = ns3Results.find(({ name }) => name === each.name)!;
    const weft = emulatedMbps(each);
    const [there, here] = [mbps, weft].map((cells) => cells.reduce((sum, value) => sum + value, 0));
    const off = Math.round(100 * (here! / there! - 1));
    return [each.name.replace(/^-/, '−'), inWords(mbps), inWords(weft), `${off < 0 ? '−' : '+'}${Math.abs(off)} %`];
  });
  return table(['Case', 'ns-3', 'Weft', 'difference'], lines);
}

function commandsTable(): string {
  const byType = accessPointTypes.map((type) => new Map(commandsOf(type, 'UMi').map((one) => [one.name, one])));
  const all = new Map(byType.flatMap((commands) => [...commands]));
  const lines = [...all.values()].map(({ name, parameter }) => [
    `\`${name}\``,
    `\`${parameter}\``,
    ...accessPointTypes.map((type, n) => {
      const command = byType[n]!.get(name);
      return command === undefined ? '' : [argumentsOf(type, command), settling(type, name)].filter(Boolean).join('; ');
    }),
  ]);
  return table(['Command', 'Sets', ...accessPointTypes], lines);
}

function argumentsOf(type: AccessPointType, { name, params }: DeclaredCommand): string {
  if (type === '5G' && name === 'set_tx_power') {
    const ranges = (['UMi', 'UMa', 'InH'] as const).map((scenario) => {
      const { minimum, maximum } = powerRanges[scenario];
      return `${minimum} to ${maximum} (${scenario})`;
    });
    return `\`dbm\` ${ranges.join(', ')}`;
  }
  return Object.entries(params)
    .map(([argument, { minimum, maximum, enum: values, unit = '' }]) => {
      const space = unit === '' || unit === '°' ? '' : ' ';
      const numbers = values?.filter((value) => typeof value === 'number');
      if (numbers && numbers.length > 0) return `\`${argument}\` ${spans(numbers)}`;
      if (values) return `\`${argument}\``;
      return minimum === undefined ? `\`${argument}\`` : `\`${argument}\` ${minimum} to ${maximum}${space}${unit}`;
    })
    .join(', ');
}

function settling(type: AccessPointType, name: string): string {
  const { drainS, wakeS, rebootS, retuneS } = durations[type];
  const seconds: Record<string, number> = {
    sleep: drainS,
    wake: wakeS,
    reboot: rebootS,
    doze: drainS,
    set_channel: retuneS + 1,
    set_channel_width: retuneS + 1,
    steer_device: 1,
    set_report_interval: 0,
  };
  const setter = setters[name];
  if (name in seconds) return seconds[name] === 0 ? 'at once' : `${seconds[name]} s`;
  if (setter === undefined) return '';
  return Number.isFinite(pace[setter.setting]) ? `${pace[setter.setting]} a second` : 'at once';
}

/** 1, 2, 3, 4 as 1 to 4; another step is appended. */
function spans(values: readonly number[]): string {
  const steps = new Set(values.slice(1).map((value, n) => value - values[n]!));
  if (values.length <= 4 && steps.size > 1) return values.join(', ');
  const found: number[][] = [];
  for (const value of values) {
    const last = found.at(-1);
    const step = values[1]! - values[0]!;
    if (last && value - last.at(-1)! === step) last.push(value);
    else found.push([value]);
  }
  const step = values[1]! - values[0]!;
  return found.map((span) => `${span[0]} to ${span.at(-1)}`).join(', ') + (step === 1 ? '' : ` by ${step}`);
}

function table(head: string[], lines: string[][]): string {
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
