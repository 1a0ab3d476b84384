// What happened to a device, out of the event log, without the access points that the caller may not see.
import type { DeviceMove, SteeringAttempt } from '@weft/contract';
import type { LoggedEvent } from '../../event-log/event-record.ts';
import type { AgentSight } from '../../rights/rights.ts';
import { toTime } from './device-answer.ts';

const kinds: Record<string, DeviceMove['kind']> = {
  'device.joined': 'joined',
  'device.left': 'left',
  'device.moved': 'moved',
};

export function toMoves(events: readonly LoggedEvent[], sight: AgentSight): DeviceMove[] {
  return events.flatMap((event) => {
    const kind = kinds[event.kind];
    if (kind === undefined) return [];
    const ts = timeOf(event);
    const from = seen(event.data.from, sight);
    const ap_id = seen(event.ap_id, sight);
    if (ap_id !== undefined) return [{ ts, kind, ap_id, ...(from !== undefined && { from }) }];
    // Where it went is hidden; that it left is not.
    return from === undefined ? [] : [{ ts, kind: 'left', ap_id: from }];
  });
}

export function toSteering(events: readonly LoggedEvent[], sight: AgentSight): SteeringAttempt[] {
  return events.flatMap((event) => {
    const ap_id = seen(event.ap_id, sight);
    if (event.kind !== 'device.steered' || ap_id === undefined) return [];
    const target = seen(event.data.target, sight);
    const outcome = event.data.outcome as SteeringAttempt['outcome'];
    const command_id = String(event.data.command_id);
    return [{ ts: timeOf(event), ap_id, ...(target !== undefined && { target }), outcome, command_id }];
  });
}

function seen(ap_id: unknown, sight: AgentSight): string | undefined {
  return typeof ap_id === 'string' && (sight.seesAll || sight.isSeen(ap_id)) ? ap_id : undefined;
}

function timeOf({ ts, data }: LoggedEvent): string {
  return typeof data.at === 'string' ? data.at : toTime(ts);
}
