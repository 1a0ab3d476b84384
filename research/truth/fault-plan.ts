// Faults with random sizes and times, from a seed: what is done to an emulated network, and to which access point.
import { restoreWorld, type World } from '@weft/emulator';

export type Cause =
  | ('outage' | 'jammer' | 'clock ahead' | 'few blocks' | 'low power' | 'dimmed')
  | ('crowd' | 'two programs at war' | 'bad roll-out' | 'jammer after a good roll-out' | 'jammer beside two programs');

export interface PlannedFault {
  cause: Cause;
  ap_id: string;
  /** More of the same type, which a roll-out gives the same settings. */
  others: readonly string[];
  /** Seconds after the start of the world. */
  startS: number;
  seconds: number;
  /** In the unit of the cause. */
  size: number;
}

interface Kind {
  type: '5G' | 'WiFi' | 'LiFi' | undefined;
  sizes: [least: number, most: number];
  seconds: [least: number, most: number];
  unit: string;
}

export type Kinds = Partial<Record<Cause, Kind>>;

export const kinds: Kinds = {
  outage: { type: undefined, sizes: [0, 0], seconds: [20, 300], unit: '' },
  jammer: {
    type: 'WiFi',
    sizes: [1, 40],
    seconds: [60, 600],
    unit: 'dBm',
  },
  'clock ahead': { type: undefined, sizes: [1, 120], seconds: [60, 300], unit: 's' },
  'few blocks': { type: '5G', sizes: [1, 20], seconds: [180, 600], unit: '% of the blocks left' },
  'low power': { type: '5G', sizes: [10, 30], seconds: [180, 600], unit: 'dBm radiated' },
  dimmed: { type: 'LiFi', sizes: [0, 80], seconds: [180, 600], unit: '% of the light left' },
};

/** What Weft has a part in: it knows of roll-outs, and of who set what. */
export const programKinds: Kinds = {
  crowd: { type: '5G', sizes: [10, 60], seconds: [240, 600], unit: 'times as much is asked for' },
  'two programs at war': { type: '5G', sizes: [1, 5], seconds: [240, 600], unit: '% of the blocks, in turn with all' },
  'bad roll-out': { type: '5G', sizes: [1, 5], seconds: [240, 600], unit: '% of the blocks left, on three' },
  'jammer after a good roll-out': { type: 'WiFi', sizes: [10, 40], seconds: [120, 600], unit: 'dBm' },
  'jammer beside two programs': { type: 'WiFi', sizes: [10, 40], seconds: [120, 600], unit: 'dBm' },
};

/** Small and fast, and the same everywhere. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** `each` faults of every cause; an access point has one at a time, with a rest between two. */
export function planFaults(
  accessPoints: readonly { ap_id: string; type: string }[],
  seed: number,
  worldSeconds: number,
  each: number,
  planned: Kinds = kinds,
): PlannedFault[] {
  const random = randomOf(seed * 7919 + 17);
  const between = ([least, most]: [number, number]) => least + random() * (most - least);
  const faults: PlannedFault[] = [];
  for (const cause of Object.keys(planned) as Cause[]) {
    const { type, sizes, seconds } = planned[cause]!;
    const chosen = accessPoints.filter((ap) => type === undefined || ap.type === type);
    for (let tries = 0, made = 0; made < each && tries < 200; tries++) {
      const at = Math.floor(random() * chosen.length);
      const others = /roll-out/.test(cause) ? [1, 2].map((n) => chosen[(at + n) % chosen.length]!.ap_id) : [];
      const fault = {
        cause,
        ap_id: chosen[at]!.ap_id,
        others,
        startS: Math.round(between([300, worldSeconds - 900])),
        seconds: Math.round(between(seconds)),
        size: Math.round(between(sizes)),
      };
      const isFree = faults.every(
        ({ ap_id, others: more, startS, seconds: long }) =>
          ![ap_id, ...more].some((name) => name === fault.ap_id || others.includes(name)) ||
          startS > fault.startS + fault.seconds + 400 ||
          fault.startS > startS + long + 400,
      );
      if (!isFree) continue;
      faults.push(fault);
      made++;
    }
  }
  return faults;
}

const turnSeconds = 20;
const rolloutLeadSeconds = 120;

/** Does what is due in this second; gives the world that goes on. `note`: what was set on whom; by nobody it was a roll-out. */
export function apply(
  world: World,
  { cause, ap_id, others, startS, seconds, size }: PlannedFault,
  second: number,
  note: (ap_id: string, what: string, by?: string) => void,
): World {
  const [begins, ends, since] = [second === startS, second === startS + seconds, second - startS];
  const isFirst = (since / turnSeconds) % 2 === 0 && !ends;
  const set = (name: string, argument: string, value: number, by = 'somebody') => {
    world.command(ap_id, name, { [argument]: value });
    note(ap_id, name, by);
  };
  const setInTurn = (name: string, argument: string, one: number, other: number) => {
    if (since < 0 || since > seconds || (since % turnSeconds !== 0 && !ends)) return;
    set(name, argument, isFirst ? one : other, isFirst ? 'saver' : 'coverer');
  };
  if (cause === 'two programs at war') setInTurn('set_prb_quota', 'percent', size, 100);
  if (cause === 'jammer beside two programs') setInTurn('set_tx_power', 'dbm', 19, 20);
  if (/roll-out/.test(cause)) {
    for (const [n, who] of [ap_id, ...others].entries()) {
      const isTreated = since === (cause === 'bad roll-out' ? n * turnSeconds : -rolloutLeadSeconds);
      if (isTreated) note(who, `${ap_id} ${startS}`);
      if (cause === 'bad roll-out' && (isTreated || ends))
        world.command(who, 'set_prb_quota', { percent: ends ? 100 : size });
    }
  }
  if (!begins && !ends) return world;
  if (cause === 'crowd') return withDemand(world, ap_id, ends ? 1 / size : size);
  if (cause === 'outage' && begins) {
    world.fault(ap_id, { kind: startS % 2 === 0 ? 'crash' : 'backhaul_cut', seconds });
  } else if (/^jammer/.test(cause) && begins) world.fault(ap_id, { kind: 'jammed_channel', seconds, amount: size });
  else if (cause === 'clock ahead' && begins) world.fault(ap_id, { kind: 'clock_skew', seconds, amount: size });
  else if (cause === 'few blocks') set('set_prb_quota', 'percent', ends ? 100 : size);
  else if (cause === 'low power') set('set_tx_power', 'dbm', ends ? 33 : size);
  else if (cause === 'dimmed') set('set_dimming', 'percent', ends ? 100 : size);
  return world;
}

/** Those who live at an access point ask for so many times as much. */
function withDemand(world: World, ap_id: string, times: number): World {
  const state = world.snapshot();
  const at = state.accessPoints.findIndex((ap) => ap.ap_id === ap_id);
  const { home, peakBps, count } = state.devices;
  for (let device = 0; device < count; device++) if (home[device] === at) peakBps[device]! *= times;
  return restoreWorld(state);
}
