// What is stored and published of a planned run: its agents, its task and its record.
import { randomUUID } from 'node:crypto';
import type { EmulatorAccepted, EmulatorSpinupRequest, EmulatorTask } from '@weft/contract';
import { modelVersion } from '@weft/contract/emulated-model';
import { toGeneratedHash } from '../accounts/agents/agent-password.ts';
import { type AgentRecord, noLabels } from '../accounts/agents/agent-record.ts';
import type { NewAuditEntry } from '../accounts/audit/audit-entry.ts';
import type { Actor, Caller } from '../base/caller.ts';
import { generateSecret } from '../base/secrets.ts';
import { emulatedName } from '../network/agent-facts.ts';
import { demandOf, profileOf, type RunPlan } from './emulator-plan.ts';
import type { EmulatorRunRecord, NewRun } from './emulator-run-store.ts';

type Member = EmulatorTask['agents'][number];

export function toMembers({ accessPoints }: RunPlan, job_number: string): Member[] {
  return accessPoints.map(({ spec, location }, index) => ({
    ap_id: emulatedName(spec.access_point_type, job_number, index + 1),
    password: generateSecret(),
    access_point_type: spec.access_point_type,
    location,
    num_devices: spec.num_devices,
    duration: spec.duration,
    ...(spec.scenario !== undefined && { scenario: spec.scenario }),
    profile: profileOf(spec),
    mbps_per_device: demandOf(spec).mbps_per_device,
    ...(spec.mix !== undefined && { mix: demandOf(spec).mix }),
    ...(spec.link_policy !== undefined && { link_policy: spec.link_policy }),
  }));
}

export function toTask(request: EmulatorSpinupRequest, plan: RunPlan, agents: Member[], nowMs: number): EmulatorTask {
  return {
    agents,
    num_devices: Math.max(...request.emulators.map(({ num_devices }) => num_devices)),
    duration: plan.duration,
    seed: plan.seed,
    model: modelVersion,
    speed: plan.speed,
    ...(request.pace === 'stepped' && { pace: request.pace }),
    model_start: new Date(plan.modelStartMs).toISOString(),
    started_at: new Date(nowMs).toISOString(),
    report_interval_seconds: request.report_interval_seconds ?? 1,
    faults: request.faults ?? [],
  };
}

export function toAccepted(
  request: EmulatorSpinupRequest,
  plan: RunPlan,
  members: readonly Member[],
  job_number: string,
): EmulatorAccepted {
  return {
    job_number,
    status: 'queued',
    websocket: `/api/v1/ws/${job_number}`,
    agents: members.map(({ ap_id, access_point_type, location }) => ({ ap_id, access_point_type, location })),
    places: plan.places,
    profiles: request.emulators.map(profileOf),
    demand: request.emulators.map(demandOf),
    seed: plan.seed,
    model: modelVersion,
    ends_at: new Date(plan.endsAtMs).toISOString(),
  };
}

/** The location is stored only here. */
export function toAgentRecord(member: Member, site: string | null, caller: Caller, nowMs: number): AgentRecord {
  const { ap_id, password, access_point_type, location } = member;
  return {
    id: randomUUID(),
    ap_id,
    password_hash: toGeneratedHash(password),
    configuration: { geolocation: location, access_point_type },
    onboard: false,
    emulated_for: caller.id,
    ver: generateSecret(),
    created_at: nowMs,
    ...noLabels,
    site,
  };
}

export function toRun(caller: Caller, plan: RunPlan, job_number: string, nowMs: number): NewRun {
  const by_type: Record<string, number> = {};
  for (const { spec } of plan.accessPoints) {
    by_type[spec.access_point_type] = (by_type[spec.access_point_type] ?? 0) + 1;
  }
  return {
    job_number,
    owner_kind: caller.kind,
    owner_id: caller.id,
    owner_name: caller.name,
    access_points: plan.accessPoints.length,
    devices: plan.devices,
    by_type,
    seed: plan.seed,
    model: modelVersion,
    speed: plan.speed,
    model_start: plan.modelStartMs,
    duration: plan.duration,
    created_at: nowMs,
    ends_at: plan.endsAtMs,
  };
}

/** The audit entries for emulated networks. */
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
