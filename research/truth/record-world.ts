// Runs an emulated network with faults and keeps what its access points reported, with when it arrived.
import { type AccessPointType, createWorld } from '@weft/emulator';
import type { LoggedEvent } from '../../controller/src/core/accounts/event-log/event-record.ts';
import { emulatedPositions } from '../../controller/src/core/networks/emulated-positions.ts';
import type { RolloutTreatment } from '../../controller/src/operations/desired/store/rollout-store.ts';
import { apply, type Kinds, type PlannedFault, planFaults } from './fault-plan.ts';

export interface Arrival {
  ts: number;
  arrivedMs: number;
  fields: Readonly<Record<string, number>>;
}

export interface RecordedWorld {
  seed: number;
  startMs: number;
  endMs: number;
  faults: PlannedFault[];
  types: Map<string, AccessPointType>;
  /** By ap_id, in the order of arrival. */
  arrivals: Map<string, Arrival[]>;
  /** What Weft would have of it: commands, and who got new settings. */
  events: LoggedEvent[];
  treatments: RolloutTreatment[];
}

export const reportIntervalSeconds = 5;
const worldSeconds = 3600;
const faultsOfEachCause = 4;
/** Each is of several access points. */
const ofPrograms = 2;
const profile = 'always' as const;
const place = { latitude: 51.4545, longitude: -2.5879 };
const entries = [
  { type: '5G', count: 7, devices: 12 },
  { type: 'WiFi', count: 8, devices: 8 },
  { type: 'LiFi', count: 6, devices: 3 },
] as const;

const accepted = {
  ...{ kind: 'command.accepted', subject_kind: 'command', site: null, severity: 'info' as const, text: 'was accepted' },
};

export function recordWorld(seed: number, kinds?: Kinds): RecordedWorld {
  // A Tuesday evening, when lamps are needed.
  const startMs = Date.UTC(2026, 9, 13, 19);
  const accessPoints = entries.flatMap(({ type, count, devices }) =>
    emulatedPositions([place], count, type).map((at, n) => ({
      ...at,
      type,
      devices,
      profile,
      ap_id: `${type.toLowerCase()}-${n + 1}`,
    })),
  );
  let world = createWorld({ seed, startMs, reportIntervalSeconds, accessPoints });
  const faults = planFaults(accessPoints, seed, worldSeconds, kinds ? ofPrograms : faultsOfEachCause, kinds);
  const events: LoggedEvent[] = [];
  const treatments: RolloutTreatment[] = [];
  const arrivals = new Map<string, Arrival[]>(accessPoints.map(({ ap_id }) => [ap_id, []]));
  for (let second = 0; second < worldSeconds; second++) {
    for (const fault of faults) {
      world = apply(world, fault, second, (ap_id, what, by) => {
        const ts = world.time;
        if (by === undefined) treatments.push({ ap_id, rollout_id: what, treated_at: ts });
        else
          events.push({ ...accepted, id: events.length + 1, ts, subject: what, ap_id, data: { parameter: what, by } });
      });
    }
    for (const { ap_id, ts, fields } of world.step()) {
      arrivals.get(ap_id)!.push({ ts, arrivedMs: world.time, fields });
    }
  }
  const types = new Map(accessPoints.map(({ ap_id, type }) => [ap_id, type as AccessPointType]));
  return { seed, startMs, endMs: world.time, faults, types, arrivals, events, treatments };
}
