// Faults with random sizes and times, from a seed: what is done to an emulated network, and to which access point.
import type { World } from '@weft/emulator';

export type Cause = 'outage' | 'jammer' | 'clock ahead' | 'few blocks' | 'low power' | 'dimmed';

export interface PlannedFault {
  cause: Cause;
  ap_id: string;
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

export const kinds: Record<Cause, Kind> = {
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
): PlannedFault[] {
  const random = randomOf(seed * 7919 + 17);
  const between = ([least, most]: [number, number]) => least + random() * (most - least);
  const faults: PlannedFault[] = [];
  for (const cause of Object.keys(kinds) as Cause[]) {
    const { type, sizes, seconds } = kinds[cause];
    const chosen = accessPoints.filter((ap) => type === undefined || ap.type === type);
    for (let tries = 0, made = 0; made < each && tries < 200; tries++) {
      const fault = {
        cause,
        ap_id: chosen[Math.floor(random() * chosen.length)]!.ap_id,
        startS: Math.round(between([300, worldSeconds - 900])),
        seconds: Math.round(between(seconds)),
        size: Math.round(between(sizes)),
      };
      const isFree = faults.every(
        ({ ap_id, startS, seconds: long }) =>
          ap_id !== fault.ap_id || startS > fault.startS + fault.seconds + 400 || fault.startS > startS + long + 400,
      );
      if (!isFree) continue;
      faults.push(fault);
      made++;
    }
  }
  return faults;
}

/** Does what is due in this second. */
export function apply(world: World, { cause, ap_id, startS, seconds, size }: PlannedFault, second: number): void {
  const ends = second === startS + seconds;
  if (second !== startS && !ends) return;
  if (cause === 'outage' && !ends) {
    world.fault(ap_id, { kind: startS % 2 === 0 ? 'crash' : 'backhaul_cut', seconds });
  } else if (cause === 'jammer' && !ends) world.fault(ap_id, { kind: 'jammed_channel', seconds, amount: size });
  else if (cause === 'clock ahead' && !ends) world.fault(ap_id, { kind: 'clock_skew', seconds, amount: size });
  else if (cause === 'few blocks') world.command(ap_id, 'set_prb_quota', { percent: ends ? 100 : size });
  else if (cause === 'low power') world.command(ap_id, 'set_tx_power', { dbm: ends ? 33 : size });
  else if (cause === 'dimmed') world.command(ap_id, 'set_dimming', { percent: ends ? 100 : size });
}
