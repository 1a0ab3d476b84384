// `weft emulate`: creates, lists, maps and stops emulated networks.

import { decodeCoverage } from '@weft/contract/coverage-values';
import { emulatedTechnologies, trafficClasses } from '@weft/contract/emulated-model';
import type { CoverageAnswer } from '@weft/contract/lab';
import type { EmulatedNetwork, EmulationRequest, EmulatorRun } from '@weft/sdk';
import { type Command, type CommandLine, printResult, requireOptions } from '../command.ts';
import { connect, identityHelp, listOptions } from '../connection.ts';
import { toCsvLine } from '../csv.ts';
import { toJson } from '../json-text.ts';
import { inWords, parseDuration, toMoment } from '../moments.ts';
import { ProgressBar } from '../progress-bar.ts';
import { interruptionOf, type Surroundings, UsageError } from '../surroundings.ts';
import { counted, type Look, printable, printList, tableOptions } from '../table.ts';

const profiles = ['office', 'home', 'city', 'stadium', 'always'] as const;
const linkModes = ['active_standby', 'priority', 'load_balancing', 'smallest_delay', 'redundant'] as const;

const layers = ['best_server', 'signal', 'sinr', 'rate'];
/** By the option that says how many of it. */
const types = new Map(emulatedTechnologies.map((name) => [name.toLowerCase(), name]));
const typesInWords = emulatedTechnologies.join(', ').replace(/, (?!.*, )/, ' or ');
const usualSize = '64';

const radioMapOptions = {
  layer: { value: 'LAYER', about: 'best_server, signal, sinr or rate (default: signal)' },
  type: { value: 'TYPE', about: `${typesInWords} (default: 5G)` },
  size: { value: 'N', about: `columns and rows, 1 to 256 (default: ${usualSize})` },
};

export const emulateCommand: Command = {
  summary: 'emulate a network: access points, devices and radio',
  usage: [
    `emulate ${[...types.keys()].map((name) => `[--${name} N]`).join(' ')} [--at PLACE]... [options]`,
    'emulate list [--wide] [--iso] [--json]',
    'emulate stop RUN',
    'emulate map RUN [--layer LAYER] [--type TYPE] [--size N] [--json]',
  ],
  about: `Without numbers, it creates four access points of each type. They are agents like any others; their devices move and generate traffic. map prints the radio map of a running network as CSV: latitude, longitude and value of each point.
${identityHelp}`,
  options: {
    '5g': { value: 'N', about: 'number of 5G cells' },
    wifi: { value: 'N', about: 'number of WiFi access points' },
    lifi: { value: 'N', about: 'number of LiFi lamps' },
    at: { value: 'PLACE', about: 'a town or coordinates; repeatable (default: Bristol)', isMany: true },
    sites: { about: 'put them at a site for each place; administrators only' },
    devices: { value: 'N', about: 'devices around each access point (default: 10)' },
    profile: { value: 'NAME', about: `traffic over a day: ${profiles.join(', ')} (default: city for 5G, else office)` },
    mbps: { value: 'N', about: 'demand of one device in Mb/s in the busiest hour, 0 to 1000 (default: 0.8)' },
    mix: {
      value: 'CLASS=SHARE',
      about: `what devices do: ${trafficClasses.join(', ')}; repeatable (default: chosen by the model)`,
      isMany: true,
    },
    links: {
      value: 'MODE',
      about: `devices hold a link of each technology: ${linkModes.join(', ')} (default: one link)`,
    },
    for: { value: 'TIME', about: 'duration in model time (default: 1h)' },
    speed: { value: 'N', about: 'seconds of model time per second (default: 1)' },
    seed: { value: 'N', about: 'the same seed gives the same network' },
    'report-every': { value: 'TIME', about: 'report interval in model time (default: 1s)' },
    ...radioMapOptions,
    wait: { about: 'wait until the run has ended, and show its progress' },
    ...listOptions,
  },
  examples: [
    'emulate',
    'emulate --wifi 20 --at "Graz, AT" --for 10m --wait',
    'emulate --5g 7 --for 1d --speed 240',
    'emulate --5g 7 --profile always --mbps 2 --mix video=3 --mix web=1',
    'emulate list',
    'emulate map 9119ff97-1929-4fa8-91b3-21a278ca9ebc --layer sinr > sinr.csv',
  ],
  async run(line, around) {
    const [action, run] = line.words;
    if (action === 'list' || action === 'stop' || action === 'map') {
      const own = { list: tableOptions, stop: {}, map: radioMapOptions }[action];
      requireOptions(line, `emulate ${action}`, [...Object.keys(own), 'json', 'url']);
    }
    if (action === undefined) return start(line, around);
    if (run === undefined) return list(line, around);
    return action === 'stop' ? stop(run, line, around) : printRadioMap(run, line, around);
  },
};

/** Throws UsageError. */
export function parseEmulation(line: CommandLine): EmulationRequest {
  const counts = Array.from(types, ([key, type]) => [type, whole(line, key)] as const);
  const isTold = counts.some(([, count]) => count !== undefined);
  const locations = line.all('at').length > 0 ? [...line.all('at')] : ['Bristol'];
  const num_devices = whole(line, 'devices') ?? 10;
  const duration = Math.round(parseDuration(line.get('for') ?? '1h', '--for'));
  const demand = parseDemand(line);
  const emulators = counts
    .map(([access_point_type, count]) => ({
      access_point_type,
      num_access_points: count ?? (isTold ? 0 : 4),
    }))
    .filter(({ num_access_points }) => num_access_points > 0)
    .map((entry) => ({ ...entry, locations, num_devices, duration, ...demand }));
  if (emulators.length === 0) throw new UsageError('The network has no access points.');
  const speed = line.get('speed');
  if (speed !== undefined && !(Number(speed) >= 1)) throw new UsageError('--speed must be a number from 1 to 3600.');
  const seed = whole(line, 'seed');
  const every = line.get('report-every');
  return {
    emulators,
    ...(line.has('sites') && { sites: true }),
    ...(seed !== undefined && { seed }),
    ...(speed !== undefined && { speed: Number(speed) }),
    ...(every !== undefined && { report_interval_seconds: Math.round(parseDuration(every, '--report-every')) }),
  };
}

function parseDemand(line: CommandLine) {
  const profile = profiles.find((name) => name === line.get('profile'));
  if (line.has('profile') && profile === undefined) {
    throw new UsageError(`--profile must be one of ${profiles.join(', ')}.`);
  }
  const mode = linkModes.find((name) => name === line.get('links'));
  if (line.has('links') && mode === undefined) throw new UsageError(`--links must be one of ${linkModes.join(', ')}.`);
  const mbps = line.get('mbps');
  if (mbps !== undefined && !(mbps.trim() !== '' && Number(mbps) >= 0 && Number(mbps) <= 1000)) {
    throw new UsageError('--mbps must be a number from 0 to 1000.');
  }
  const mix = line
    .all('mix')
    .flatMap((text) => text.split(','))
    .map(parseShare);
  return {
    ...(profile !== undefined && { profile }),
    ...(mbps !== undefined && { mbps_per_device: Number(mbps) }),
    ...(mix.length > 0 && { mix: Object.fromEntries(mix) }),
    ...(mode !== undefined && { link_policy: { mode } }),
  };
}

function parseShare(text: string): [string, number] {
  const [name = '', share = '', ...rest] = text.split('=');
  const isShare = share.trim() !== '' && Number(share) >= 0 && Number.isFinite(Number(share));
  if (!(trafficClasses as readonly string[]).includes(name) || !isShare || rest.length > 0) {
    throw new UsageError(`--mix must be like video=3, with one of ${trafficClasses.join(', ')}.`);
  }
  return [name, Number(share)];
}

function whole(line: CommandLine, option: string): number | undefined {
  const text = line.get(option);
  if (text === undefined) return undefined;
  if (!/^\d{1,10}$/.test(text)) throw new UsageError(`--${option} must be a whole number, not "${text}".`);
  return Number(text);
}

async function start(line: CommandLine, around: Surroundings): Promise<void> {
  const request = parseEmulation(line);
  const network = await connect(line, around).emulate(request);
  const { job_number, agents, places, demand, seed, model, ends_at } = network;
  if (line.has('json')) {
    around.stdout.write(`${toJson({ job_number, agents, places, demand, seed, model, ends_at })}\n`);
  } else {
    const found = new Set(places.map(({ given, name, country }) => printable(`${given}: ${name}, ${country}`)));
    for (const place of found) around.stderr.write(`${place}\n`);
    around.stdout.write(`${job_number}\n`);
    around.stderr.write(
      `${counted(agents.length, 'access point')}, seed ${seed}, until ${toMoment(ends_at, line.has('iso'))}.\n`,
    );
  }
  if (line.has('wait')) await waitForEnd(network, around);
}

async function waitForEnd(network: EmulatedNetwork, around: Surroundings): Promise<void> {
  const signal = interruptionOf(around);
  const bar = new ProgressBar(around.stderr);
  const startedAt = Date.now();
  const endsAt = Date.parse(network.ends_at);
  try {
    for await (const { event, served, power_w } of network.progress({ signal })) {
      const share = (Date.now() - startedAt) / Math.max(1, endsAt - startedAt);
      bar.show(share, `${event}: ${served ?? 0} devices served, ${Math.round(Number(power_w ?? 0))} W`);
    }
    signal.throwIfAborted();
  } finally {
    bar.clear();
  }
}

async function list(line: CommandLine, around: Surroundings): Promise<void> {
  const runs: EmulatorRun[] = await connect(line, around).request('GET', '/api/v1/emulator');
  const head = ['RUN', 'STATE', 'ACCESS POINTS', 'DEVICES', 'LENGTH', 'STARTED'];
  printList(runs, { none: 'There are no emulated networks. Try: weft emulate', head, toRow }, line, around);
}

function toRow({ job_number, state, by_type, devices, duration, created_at }: EmulatorRun, { isIso }: Look): string[] {
  const kinds = Object.entries(by_type).map(([type, count]) => `${count} ${type}`);
  return [job_number, state, kinds.join(', '), String(devices), inWords(duration), toMoment(created_at, isIso)];
}

async function stop(job_number: string, line: CommandLine, around: Surroundings): Promise<void> {
  const path = `/api/v1/emulator/${encodeURIComponent(job_number)}/stop`;
  const run: EmulatorRun = await connect(line, around).request('POST', path);
  printResult(run, 'Stopped. Its agents and their telemetry are kept for a day.', line, around);
}

/** `weft emulate map RUN`: the radio map of a running network as a table, one line for each point. */
async function printRadioMap(job_number: string, line: CommandLine, around: Surroundings): Promise<void> {
  const layer = line.get('layer') ?? 'signal';
  if (!layers.includes(layer)) throw new UsageError(`--layer must be one of ${layers.join(', ')}.`);
  const technology = types.get((line.get('type') ?? '5G').toLowerCase());
  if (technology === undefined) throw new UsageError(`--type must be ${typesInWords}.`);
  const size = line.get('size') ?? usualSize;
  const query = { layer, technology, columns: size, rows: size };
  const path = `/api/v1/emulator/${encodeURIComponent(job_number)}/coverage?${new URLSearchParams(query)}`;
  const map: CoverageAnswer = await connect(line, around).request('GET', path);
  around.stdout.write(line.has('json') ? `${toJson(map)}\n` : toCsv(map));
}

function toCsv({ layer, unit, bounds, columns, rows, values, scale, access_points }: CoverageAnswer): string {
  const { south, west, north, east } = bounds;
  const decoded = decodeCoverage(values as string, scale);
  const lines = [toCsvLine(['latitude', 'longitude', unit === '' ? layer : `${layer} (${unit})`])];
  for (const [point, value] of decoded.entries()) {
    const latitude = north - ((Math.floor(point / columns) + 0.5) * (north - south)) / rows;
    const longitude = west + (((point % columns) + 0.5) * (east - west)) / columns;
    const words = layer === 'best_server' ? (access_points[value] ?? '') : String(Math.round(value * 100) / 100);
    lines.push(toCsvLine([latitude.toFixed(7), longitude.toFixed(7), Number.isNaN(value) ? '' : words]));
  }
  return lines.join('');
}
