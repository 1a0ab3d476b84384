// What a 5G cell draws: how much at most as EARTH measured it (Auer et al. 2011), and what of that in each state as TR 38.864
// has it (category 2): off beat, asleep lightly or deeply, sending with some of its power on some of its blocks.
import { fromDb } from '@weft/contract/exact-math';
import type { NrScenario } from './nr.ts';

interface Hardware {
  chains: number;
  /** EARTH, per chain: without load, watts for each watt sent, and the most it sends. */
  idleW: number;
  slope: number;
  maxW: number;
  /** The most power that the cell can be set to. */
  maxDbm: number;
}

const hardware: Record<NrScenario, Hardware> = {
  UMa: { chains: 4, idleW: 130, slope: 4.7, maxW: 20, maxDbm: 46 },
  UMi: { chains: 2, idleW: 56, slope: 2.6, maxW: 6.3, maxDbm: 38 },
  InH: { chains: 2, idleW: 6.8, slope: 4, maxW: 0.13, maxDbm: 24 },
};

/** TR 38.864 table 5.1-1, category 2: power relative to deep sleep; energy of the way there and back in units times seconds. */
const relative = { deep: 1, light: 2.1, micro: 5.5, sending: 32 };
const transition = { deep: { seconds: 10, energy: 17 }, light: { seconds: 0.64, energy: 1.088 } };
/** Of what sending takes beyond the static part, this share follows the blocks in use, and the rest the amplifier as well. */
const digitalShare = 0.4;
/** Share of symbols with reference and broadcast signals, even without traffic. */
const idleActivity = 0.05;

/** Share of time that a cell with this load sends, and disturbs others. */
export function activityOf(load: number): number {
  return idleActivity + (1 - idleActivity) * load;
}

export type NrPowerState = 'sending' | 'starting' | 'light' | 'deep';

/** Watts of one unit of TR 38.864. */
export function unitW(scenario: NrScenario): number {
  const { chains, idleW, slope, maxW } = hardware[scenario];
  return (chains * (idleW + slope * maxW)) / relative.sending;
}

/** Mean power over a second, with the share `load` of the resource blocks in use. */
export function nrPowerW(scenario: NrScenario, state: NrPowerState, txPowerDbm: number, load: number): number {
  const unit = unitW(scenario);
  if (state === 'deep' || state === 'light') return relative[state] * unit;
  if (state === 'starting') return relative.micro * unit;
  // An amplifier at less than its full output is less efficient: it draws by the root of what it sends (class B).
  const amplifier = Math.sqrt(fromDb(txPowerDbm - hardware[scenario].maxDbm));
  const dynamic = (relative.sending - relative.micro) * (digitalShare + (1 - digitalShare) * amplifier);
  return unit * (relative.micro + dynamic * activityOf(load));
}

/** Energy to fall asleep and wake up once, in joules, and how long that takes. */
export function nrTransition(scenario: NrScenario, depth: 'light' | 'deep'): { seconds: number; energyJ: number } {
  const { seconds, energy } = transition[depth];
  return { seconds, energyJ: energy * unitW(scenario) };
}
