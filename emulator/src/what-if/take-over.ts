// Who takes over: for each access point that gets a command, where its devices are instead, and how the traffic of those
// changes that have them.

import type { World } from '../world/world.ts';
import type { Future } from './future.ts';
import { type Amount, requireAmount } from './interval.ts';

interface Gain {
  /** Devices that are here with the commands and at the commanded one without them, less the other way round. */
  devices: Amount;
  /** By how much its throughput changes, by all commands together. */
  deliveredMbps: Amount;
}

export interface TakeOver {
  /** The access point that gets a command. */
  ap_id: string;
  /** How many devices leave it, less those that come. */
  devices: Amount;
  deliveredMbps: Amount;
  /** Those with the most devices, most first. */
  to: (Gain & { ap_id: string })[];
  /** All others that have any, together. */
  others?: Gain & { accessPoints: number };
  /** Devices that no access point has instead. */
  unserved: Amount;
}

const shown = 5;
const nobody = -1;
const metric = 'throughput_mbps';

/** In the order of the access points. */
export function takeOversIn(world: World, futures: readonly Future[]): TakeOver[] {
  const ids = world.accessPoints.map(({ ap_id }) => ap_id);
  const commanded = [...futures[0]!.moved.keys()];
  return commanded.map((index) => takeOverOf(index, ids, futures));
}

function takeOverOf(index: number, ids: readonly string[], futures: readonly Future[]): TakeOver {
  const moved = (future: Future, other: number) => future.moved.get(index)!.get(other) ?? 0;
  const devicesOf = (others: readonly number[]) => amountOf(futures, others, moved);
  const deliveredBy = (others: readonly number[]) => amountOf(futures, others, (future, n) => gained(future, ids[n]!));
  const seen = [...new Set(futures.flatMap((future) => [...future.moved.get(index)!.keys()]))];
  const total = (other: number) => futures.reduce((sum, future) => sum + moved(future, other), 0);
  const receivers = seen
    .filter((other) => other !== nobody)
    .sort((a, b) => Math.abs(total(b)) - Math.abs(total(a)) || a - b);
  const [top, rest] = [receivers.slice(0, shown), receivers.slice(shown)];
  return {
    ap_id: ids[index]!,
    devices: devicesOf(seen),
    deliveredMbps: deliveredBy([index]),
    to: top.map((other) => ({
      ap_id: ids[other]!,
      devices: devicesOf([other]),
      deliveredMbps: deliveredBy([other]),
    })),
    ...(rest.length > 0 && {
      others: { accessPoints: rest.length, devices: devicesOf(rest), deliveredMbps: deliveredBy(rest) },
    }),
    unserved: devicesOf([nobody]),
  };
}

/** Of the sum over the others, in each future. */
function amountOf(
  futures: readonly Future[],
  others: readonly number[],
  read: (future: Future, other: number) => number,
): Amount {
  return requireAmount(futures.map((future) => others.reduce((sum, other) => sum + read(future, other), 0)));
}

/** Without a measurement it delivers nothing. */
function gained(future: Future, ap_id: string): number {
  const read = (means: Map<string, Map<string, number>>) => means.get(ap_id)?.get(metric) ?? 0;
  return read(future.with.means) - read(future.without.means);
}
