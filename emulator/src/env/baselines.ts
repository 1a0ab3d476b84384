// The policies that all others are compared with: one that does nothing, one that does anything, and the rules that an
// engineer would write down for the task.
import { hash } from '../randomness.ts';
import type { Layout } from './environment.ts';
import { EnvironmentError } from './environment.ts';

/** What a policy sees of one world. */
export interface Observation extends Pick<Layout, 'access_points' | 'columns' | 'choices' | 'neighbours'> {
  /** A row for each access point, a value for each column; and where a value holds. */
  values: Float32Array;
  valid: Float32Array;
}

/** One choice for each access point; `mask` has a row of choices for each. */
export type Act = (observation: Observation, mask: Float32Array) => ArrayLike<number>;

const nothing = 0;
const randomPurpose = 77;

const policies: Record<string, () => Act> = {
  nothing: () => (observation) => observation.access_points.map(() => nothing),
  /** Any choice that is open, each as often. */
  random: () => {
    let turn = 0;
    return ({ access_points, choices }, mask) => {
      turn++;
      return access_points.map((_, ap) => {
        const open = choices.flatMap((_, choice) => (mask[ap * choices.length + choice] === 1 ? [choice] : []));
        return open[hash(randomPurpose, 0, turn, ap) % open.length]!;
      });
    };
  },
  rules: () => {
    const [sleeping, spreading] = [sleepRules(), channelRules()];
    return (observation, mask) => (observation.choices.includes('sleep') ? sleeping : spreading)(observation, mask);
  },
};

export const baselineNames: readonly string[] = Object.keys(policies);

/** A policy with a memory of its own. Throws EnvironmentError `policy_not_found`. */
export function baselineOf(name: string): Act {
  if (!Object.hasOwn(policies, name)) throw new EnvironmentError('policy_not_found', `there is no policy ${name}`);
  return policies[name]!();
}

const quiet = { loadPct: 12, devices: 5, neighbourLoadPct: 40 };
const crowdedLoadPct = 60;
const helpers = 4;

/** A cell that has little to do sleeps while those beside it are awake and not full; one beside a full one wakes. */
function sleepRules(): Act {
  return (observation, mask) => {
    const { access_points, choices } = observation;
    const [sleep, wake] = [choices.indexOf('sleep'), choices.indexOf('wake')];
    const read = reader(observation);
    /** Two neighbours that rely on each other must not go in the same step. */
    const leaving = new Set<number>();
    return access_points.map((_, ap) => {
      const beside = nearestOf(observation, ap).slice(0, helpers);
      const isOn = (other: number) => read(other, 'on') === 1 && !leaving.has(other);
      if (mask[ap * choices.length + wake] === 1) {
        return beside.some((other) => read(other, 'prb_load_pct') > crowdedLoadPct) ? wake : nothing;
      }
      const isQuiet = read(ap, 'prb_load_pct') < quiet.loadPct && read(ap, 'connected_devices') <= quiet.devices;
      const canRely = beside.slice(0, 2).every((n) => isOn(n) && read(n, 'prb_load_pct') < quiet.neighbourLoadPct);
      if (!isQuiet || !canRely || mask[ap * choices.length + sleep] !== 1) return nothing;
      for (const other of [ap, ...beside.slice(0, 2)]) leaving.add(other);
      return sleep;
    });
  };
}

const clearlyLess = 0.7;
const turns = 4;

/** One after the other goes to the channel on which it hears least, if that is clearly less than on its own. */
function channelRules(): Act {
  let turn = 0;
  return (observation, mask) => {
    const { access_points, choices, neighbours } = observation;
    const read = reader(observation);
    const channels = choices.map((label) => Number(label.split(' ')[1]));
    turn++;
    return access_points.map((_, ap) => {
      if (ap % turns !== turn % turns) return nothing;
      const heardOn = (channel: number) =>
        neighbours.from.reduce((sum, from, edge) => {
          const other = neighbours.to[edge]!;
          if (from !== ap || read(other, 'channel') !== channel) return sum;
          return (
            sum + (1 + read(other, 'airtime_pct')) / (1 + neighbours.distance_m[edge]! * neighbours.distance_m[edge]!)
          );
        }, 0);
      let best = { choice: nothing, heard: clearlyLess * heardOn(read(ap, 'channel')) };
      for (const [choice, channel] of channels.entries()) {
        if (choice === nothing || mask[ap * choices.length + choice] !== 1) continue;
        const heard = heardOn(channel);
        if (heard < best.heard) best = { choice, heard };
      }
      return best.choice;
    });
  };
}

function reader({ columns, values }: Observation): (ap: number, column: string) => number {
  const at = new Map(columns.map((name, index) => [name, index]));
  return (ap, column) => values[ap * columns.length + at.get(column)!]!;
}

function nearestOf({ neighbours: { from, to } }: Observation, ap: number): number[] {
  return to.filter((_, edge) => from[edge] === ap);
}
