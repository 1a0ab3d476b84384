// Numbers as people read them: a real minus sign, thin spaces, units, and no more digits than mean something.

const thin = '\u2009';
const minus = '\u2212';

/** Units that metric names and labels carry, as they are written. */
const units: [suffix: RegExp, unit: string][] = [
  [/dbm$/i, 'dBm'],
  [/db$/i, 'dB'],
  [/(mbps|mbit\/s)$/i, 'Mb/s'],
  [/(gbps|gbit\/s)$/i, 'Gb/s'],
  [/(kbps|kbit\/s)$/i, 'kb/s'],
  [/(bps|bit\/s)$/i, 'b/s'],
  [/kwh$/i, 'kWh'],
  [/wh$/i, 'Wh'],
  [/(watts?|_w)$/i, 'W'],
  [/(percent|pct|utili[sz]ation_percent)$/i, '%'],
  [/(celsius|_c)$/i, '°C'],
  [/(milliseconds?|_ms)$/i, 'ms'],
  [/(seconds?|_s)$/i, 's'],
  [/ghz$/i, 'GHz'],
  [/mhz$/i, 'MHz'],
  [/lux$/i, 'lx'],
  [/(metres?|meters?|_m)$/i, 'm'],
  [/bytes$/i, 'B'],
];

/** `−61.5`: three digits of a small number, whole ones of a large one. */
export function formatNumber(value: number, digits = digitsFor(value)): string {
  if (!Number.isFinite(value)) return '–';
  const text = new Intl.NumberFormat('en-GB', {
    minimumFractionDigits: 0,
    maximumFractionDigits: digits,
    useGrouping: Math.abs(value) >= 10_000,
  }).format(value);
  return text
    .replace('-', minus)
    .replaceAll(',', thin)
    .replace(new RegExp(`^${minus}0$`), '0');
}

/** `−61.5 dBm`, `42 %`; large amounts of what grows by thousands move to the next unit: `2.4 Gb/s`. */
export function formatValue(value: number, unit = ''): string {
  const [scaled, scaledUnit] = scale(value, unit);
  return scaledUnit === '' ? formatNumber(scaled) : `${formatNumber(scaled)}${thin}${scaledUnit}`;
}

/** `1 agent`, `12 agents`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)}\u00a0${count === 1 ? one : many}`;
}

/** The unit a metric has: as its label says in brackets, else as its name ends. */
export function unitOf(name: string, label = ''): string {
  const told = /\(([^()]{1,8})\)$/.exec(label)?.[1];
  if (told !== undefined) return units.find(([suffix]) => suffix.test(told))?.[1] ?? told;
  return units.find(([suffix]) => suffix.test(name))?.[1] ?? '';
}

/** The label without its unit. */
export function labelWithoutUnit(label: string): string {
  return label.replace(/\s*\([^()]{1,8}\)$/, '');
}

const ladders: string[][] = [
  ['b/s', 'kb/s', 'Mb/s', 'Gb/s', 'Tb/s'],
  ['W', 'kW', 'MW'],
  ['Wh', 'kWh', 'MWh'],
  ['B', 'kB', 'MB', 'GB', 'TB'],
];

function scale(value: number, unit: string): [value: number, unit: string] {
  const ladder = ladders.find((steps) => steps.includes(unit));
  if (!ladder) return [value, unit];
  let step = ladder.indexOf(unit);
  let scaled = value;
  while (Math.abs(scaled) >= 1000 && step < ladder.length - 1) {
    scaled /= 1000;
    step++;
  }
  return [scaled, ladder[step]!];
}

function digitsFor(value: number): number {
  const size = Math.abs(value);
  if (size >= 100 || Number.isInteger(value)) return 0;
  if (size >= 10) return 1;
  return size >= 0.1 ? 2 : 4;
}
