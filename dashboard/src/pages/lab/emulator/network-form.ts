// The form for a new network: from what is typed to the request, from the problems of the answer back to the fields, and
// what will happen in plain words. Pure.
import { type EmulatedTechnology, emulatedTechnologies, trafficClasses } from '@weft/contract/emulated-model';
import type { EmulatorSpec, EmulatorSpinupRequest, PlannedFault } from '../../../api/client.ts';
import { formatCount, formatNumber, formatSpan, typedNumber } from '../../../format.ts';

type LinkPolicy = NonNullable<EmulatorSpec['link_policy']>;
type LinkMode = LinkPolicy['mode'];

export const linkModes = [
  'active_standby',
  'priority',
  'load_balancing',
  'smallest_delay',
  'redundant',
] as const satisfies readonly LinkMode[];

/** Whether one link comes before the others. */
export function hasPrimary(mode: string): boolean {
  return mode === 'active_standby' || mode === 'priority';
}

export type NetworkValues = Record<string, string>;

export const initialNetwork: NetworkValues = {
  places: 'Bristol',
  sites: '',
  ...Object.fromEntries(
    emulatedTechnologies.flatMap((technology) => [
      [`${technology}.num_access_points`, '4'],
      [`${technology}.num_devices`, '10'],
      [`${technology}.profile`, 'always'],
      [`${technology}.scenario`, ''],
    ]),
  ),
  mbps_per_device: '',
  ...Object.fromEntries(trafficClasses.map((name) => [`mix.${name}`, ''])),
  'link_policy.mode': '',
  'link_policy.primary': '',
  'link_policy.share': '',
  ...Object.fromEntries(emulatedTechnologies.map((name) => [`link_policy.weights.${name}`, ''])),
  duration: '1',
  duration_unit: '3600',
  speed: '1',
  seed: '',
  report_interval_seconds: '',
};

export const faultFields = ['access_point', 'kind', 'after_seconds', 'seconds', 'amount'] as const;

export function placesOf({ places = '' }: NetworkValues): string[] {
  return places.split('\n').filter((place) => place.trim() !== '');
}

/** Which technologies there will be any of, in the order of the request. */
export function chosenTechnologies(values: NetworkValues): EmulatedTechnology[] {
  return emulatedTechnologies.filter((technology) => !isNone(values[`${technology}.num_access_points`]));
}

/** What is not a number goes out as it was typed: the server has words for it. `faults` are the numbers of their rows. */
export function toRequest(values: NetworkValues, faults: readonly number[]): EmulatorSpinupRequest {
  const duration = toNumber(values.duration);
  const demand = { ...toDemand(values), ...toLinkPolicy(values) };
  const emulators = chosenTechnologies(values).map((technology): EmulatorSpec => {
    const own = (field: string) => values[`${technology}.${field}`] ?? '';
    return {
      access_point_type: technology,
      num_access_points: toNumber(own('num_access_points'))!,
      locations: placesOf(values),
      num_devices: toNumber(own('num_devices'))!,
      duration: typeof duration === 'number' ? Math.round(duration * Number(values.duration_unit)) : duration!,
      ...(own('profile') !== '' && { profile: own('profile') as NonNullable<EmulatorSpec['profile']> }),
      ...(technology === '5G' &&
        own('scenario') !== '' && { scenario: own('scenario') as NonNullable<EmulatorSpec['scenario']> }),
      ...demand,
    };
  });
  return {
    emulators,
    ...(!isEmpty(values.sites) && { sites: true }),
    ...(!isEmpty(values.seed) && { seed: toNumber(values.seed)! }),
    ...(!isEmpty(values.speed) && values.speed !== '1' && { speed: toNumber(values.speed)! }),
    ...(!isEmpty(values.report_interval_seconds) && {
      report_interval_seconds: toNumber(values.report_interval_seconds)!,
    }),
    ...(faults.length > 0 && { faults: faults.map((row) => toFault(values, row)) }),
  };
}

/** The field that a problem at `path` of the request belongs to. */
export function fieldAt(
  path: string,
  values: NetworkValues,
  faults: readonly number[],
): { field: string; prefix?: string } | undefined {
  const [list, index, field, item, part] = path.split('.');
  if (list === 'faults' && index !== undefined && field !== undefined) {
    return { field: `faults.${faults[Number(index)]}.${field}` };
  }
  if (list !== 'emulators') return undefined;
  const chosen = chosenTechnologies(values);
  if (chosen.length === 0) return { field: `${emulatedTechnologies[0]}.num_access_points` };
  const technology = chosen[Number(index)];
  if (field === 'locations') {
    const place = item === undefined ? undefined : placesOf(values)[Number(item)];
    return place === undefined ? { field: 'places' } : { field: 'places', prefix: `“${place}”` };
  }
  if (field === 'mix') return { field: `mix.${trafficClasses.find((name) => name === item) ?? trafficClasses[0]}` };
  if (field === 'mbps_per_device') return { field };
  if (field === 'link_policy') return { field: policyField(item, part) };
  const isOfAll = technology === undefined || field === undefined || field === 'duration';
  return { field: isOfAll ? 'duration' : `${technology}.${field}` };
}

/** What will happen, as far as what is typed can be understood. */
export function networkSentence({ emulators, speed = 1, faults = [] }: EmulatorSpinupRequest): string | undefined {
  const accessPoints = sum(emulators.map(({ num_access_points }) => num_access_points));
  const devices = sum(emulators.map((spec) => spec.num_access_points * spec.num_devices));
  const duration = Math.max(0, ...emulators.map((spec) => spec.duration));
  const places = emulators[0]?.locations ?? [];
  const isUnderstood = [accessPoints, devices, duration, speed].every((value) => Number.isFinite(value) && value > 0);
  if (!isUnderstood || places.length === 0) return undefined;
  const where = places.map((place) =>
    typeof place !== 'string' || /^[-−\d.]+[, ]/.test(place) ? 'a point on the map' : place,
  );
  const first = `${formatCount(accessPoints, 'access point')} in ${listed([...new Set(where)])} with ${formatCount(devices, 'device')} for ${formatSpan(duration, 2)}`;
  const pace =
    speed === 1
      ? 'in real time'
      : `${formatNumber(speed)} times faster than real time: it takes ${formatSpan(duration / speed, 2)}`;
  const wrong = faults.length === 0 ? '' : ` Planned: ${formatCount(faults.length, 'fault')}.`;
  return `${first}, ${pace}.${wrong}`;
}

/** The same request from a shell. The token is named, never written out. */
export function curlOf(origin: string, request: EmulatorSpinupRequest): string {
  const json = JSON.stringify(request, null, 2).replaceAll("'", "'\\''");
  return [
    `curl -s ${origin}/api/v1/emulator/spinup \\`,
    '  -H "Authorization: Bearer $TOKEN" -H \'Content-Type: application/json\' \\',
    `  -d '${json}'`,
  ].join('\n');
}

/** The same for all emulatedTechnologies. */
function toDemand(values: NetworkValues): Pick<EmulatorSpec, 'mbps_per_device' | 'mix'> {
  const shares = trafficClasses.filter((name) => !isEmpty(values[`mix.${name}`]));
  return {
    ...(!isEmpty(values.mbps_per_device) && { mbps_per_device: toNumber(values.mbps_per_device)! }),
    ...(shares.length > 0 && {
      mix: Object.fromEntries(shares.map((name) => [name, toNumber(values[`mix.${name}`])!])),
    }),
  };
}

/** The same for all technologies; what the mode does not use is left out. */
function toLinkPolicy(values: NetworkValues): Pick<EmulatorSpec, 'link_policy'> {
  const own = (field: string) => values[`link_policy.${field}`];
  const mode = linkModes.find((each) => each === own('mode'));
  if (mode === undefined) return {};
  const weighted =
    mode === 'load_balancing' ? emulatedTechnologies.filter((name) => !isEmpty(own(`weights.${name}`))) : [];
  const link_policy: LinkPolicy = {
    mode,
    ...(hasPrimary(mode) && !isEmpty(own('primary')) && { primary: own('primary') as EmulatedTechnology }),
    ...(weighted.length > 0 && {
      weights: Object.fromEntries(weighted.map((name) => [name, toNumber(own(`weights.${name}`))!])),
    }),
    ...(!isEmpty(own('share')) && { share: toNumber(own('share'))! }),
  };
  return { link_policy };
}

function policyField(item: string | undefined, part: string | undefined): string {
  if (item === 'weights')
    return `link_policy.weights.${emulatedTechnologies.find((name) => name === part) ?? emulatedTechnologies[0]}`;
  return `link_policy.${item === 'primary' || item === 'share' ? item : 'mode'}`;
}

function toFault(values: NetworkValues, row: number): PlannedFault {
  const own = (field: string) => values[`faults.${row}.${field}`];
  return {
    access_point: toNumber(own('access_point'))!,
    kind: own('kind') as PlannedFault['kind'],
    seconds: toNumber(own('seconds'))!,
    ...(!isEmpty(own('after_seconds')) && { after_seconds: toNumber(own('after_seconds'))! }),
    ...(!isEmpty(own('amount')) && { amount: toNumber(own('amount'))! }),
  };
}

function toNumber(typed: string | undefined): number | undefined {
  return isEmpty(typed) ? undefined : typedNumber(typed!);
}

function isEmpty(typed: string | undefined): boolean {
  return typed === undefined || typed.trim() === '';
}

function isNone(typed: string | undefined): boolean {
  return isEmpty(typed) || Number(typed) === 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + Number(value), 0);
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
