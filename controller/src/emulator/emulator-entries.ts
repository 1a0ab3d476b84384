// The audit entries for emulated networks.
import type { NewAuditEntry } from '../audit/audit-entry.ts';
import type { Actor } from '../caller.ts';
import type { EmulatorRunRecord } from './emulator-run-store.ts';

export function runStarted(actor: Actor, run: EmulatorRunRecord): NewAuditEntry {
  const { access_points, devices, by_type, duration, speed, seed } = run;
  const detail = { access_points, devices, by_type, duration, speed, seed };
  return { actor, action: 'emulation_started', target: toTarget(run), detail };
}

/** `reason`: what happened to its owner, if that is why. */
export function runEnded(actor: Actor, run: EmulatorRunRecord, reason?: string): NewAuditEntry {
  const detail = { state: run.state, access_points: run.access_points, ...(reason !== undefined && { reason }) };
  return { actor, action: 'emulation_ended', target: toTarget(run), detail };
}

function toTarget({ job_number }: EmulatorRunRecord) {
  return { kind: 'emulation', name: job_number };
}
