// Numbers, units, moments, spans and names as people read them: a real minus sign, thin spaces, no more digits than mean something,
// and the time zone of the browser.

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

/** Beyond these a row of digits says less than a power of ten; below the last there is only what rounding left. */
const largest = 1e15;
const smallest = 0.001;
const nothing = 1e-15;

/** `−61.5`: three digits of a small number, whole ones of a large one; `1.2 × 10⁻⁹` where digits would be zeros. */
export function formatNumber(value: number, digits?: number): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (digits === undefined && (size >= largest || (size < smallest && size >= nothing))) return formatPower(value);
  return formatPlain(value, digits ?? digitsFor(value));
}

/** `−1.25 × 10⁻⁹`, with as many digits as mean something, no zeros at their end. */
export function formatPower(value: number, significant = 3): string {
  const [digits = '', power = ''] = value.toExponential(significant - 1).split('e');
  const mantissa = Number(digits).toString().replace('-', minus);
  return `${mantissa}${thin}×${thin}10${[...power].map((sign) => raised[sign] ?? '').join('')}`;
}

const raised: Record<string, string> = { '-': '⁻', ...Object.fromEntries([...'⁰¹²³⁴⁵⁶⁷⁸⁹'].entries()) };

function formatPlain(value: number, digits: number): string {
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

/** `−61.5 dBm`, `42 %`; what grows by thousands moves to the unit that suits it: `2.4 Gb/s`, `76.8 kb/s`. */
export function formatValue(value: number, unit = ''): string {
  const [scaled, scaledUnit] = scale(value, unit);
  return scaledUnit === '' ? formatNumber(scaled) : `${formatNumber(scaled)}${thin}${scaledUnit}`;
}

/** A value of this metric, by its name or what people call it. Devices are whole: a part of one, of a mean, is `less than one`. */
export function formatMetric(metric: string, value: number, unit: string): string {
  if (unit !== '' || !/(?<![a-z])devices(?![a-z])/i.test(metric)) return formatValue(value, unit);
  const whole = Math.round(value) || 0;
  return whole === 0 && value !== 0 ? 'less than one' : formatNumber(whole);
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
  ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'],
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
  while (Math.abs(scaled) < 0.1 && Math.abs(scaled) >= nothing && step > 0) {
    scaled *= 1000;
    step--;
  }
  return [scaled, ladder[step]!];
}

function digitsFor(value: number): number {
  const size = Math.abs(value);
  if (size >= 100 || Number.isInteger(value)) return 0;
  if (size >= 10) return 1;
  return size >= 0.1 ? 2 : 4;
}

const minute = 60;
const hour = 3600;
const day = 86_400;

/** `just now`, `40 s`, `12 min`, `3 h`, `5 d`. */
export function formatAge(seconds: number): string {
  if (seconds < 1) return 'just now';
  return formatSpan(seconds);
}

/** `40 s`, `2 min 5 s`, `3 h 20 min`, `5 d`: the two largest parts at most. */
export function formatSpan(seconds: number, parts = 1): string {
  const sizes: [number, string][] = [
    [day, 'd'],
    [hour, 'h'],
    [minute, 'min'],
    [1, 's'],
  ];
  let rest = Math.round(seconds);
  const words: string[] = [];
  for (const [size, unit] of sizes) {
    const count = Math.floor(rest / size);
    if (count === 0 && !(size === 1 && words.length === 0)) {
      if (words.length > 0) break;
      continue;
    }
    words.push(`${count}\u2009${unit}`);
    rest -= count * size;
    if (words.length === parts) break;
  }
  return words.join(' ');
}

/** `10:42:07` of today, with the date otherwise, and with the year if that is another one. */
export function formatMoment(at: number | string, nowMs = Date.now()): string {
  const moment = new Date(at);
  const today = new Date(nowMs);
  const time = moment.toLocaleTimeString('en-GB');
  if (moment.toDateString() === today.toDateString()) return time;
  const isThisYear = moment.getFullYear() === today.getFullYear();
  const date = moment.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    ...(!isThisYear && { year: 'numeric' }),
  });
  return `${date} ${time}`;
}

/** With date, seconds and zone, for those who compare with a log. */
export function formatExactly(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').replace('Z', ' UTC');
}

/** `2026-03-01T10:42:07` in local time; empty for what is no moment. */
export function toLocalMoment(ms: number): string {
  if (!Number.isFinite(ms)) return '';
  const local = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}

/** RFC 3339 in UTC. What cannot be read is returned as it is: the server has words for it. */
export function fromLocalMoment(text: string): string {
  const ms = Date.parse(text);
  return Number.isFinite(ms) ? new Date(ms).toISOString() : text;
}

const jobNumber = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

/** `emu-wifi-376d…-5`; names without the number of a run stay as they are. */
export function shortAgentName(ap_id: string): string {
  return ap_id.replace(jobNumber, (number) => `${number.slice(0, 4)}…`);
}

/** The value and its unit apart, for a figure that is large with its unit small beside it; numbers may have such spaces in them. */
export function splitUnit(words: string): { value: string; unit: string } {
  const [, value = words, unit = ''] = /^(.*)\u2009([^\d\u2009]+)$/.exec(words) ?? [];
  return { value, unit };
}

/** What people list in one field: the parts between separators, without blanks around them and without empty ones. */
export function partsOf(text: string, separator: string | RegExp): string[] {
  const parts = text.split(separator).map((part) => part.trim());
  return parts.filter(Boolean);
}

/** Of what somebody typed; what is not a number goes out as it is: the server has words for it. */
export function typedNumber(words: string): number {
  const number = Number(words.trim().replace('−', '-'));
  return words.trim() !== '' && Number.isFinite(number) ? number : (words as unknown as number);
}
