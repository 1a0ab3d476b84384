// The thread of one run: the network, its agents and the requests to it. A crash here does not affect the rest of the
// process.
import '@weft/contract/closed-prototype';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { EmulatorRequest } from '@weft/contract';
import type { FaultRequest } from '../access-points/faults.ts';
import { AgentFleet } from './agent-fleet.ts';
import { CoverageQueue } from './coverage-queue.ts';
import type { EmulatedRun, RunEntry } from './emulated-run.ts';
import { ModelClock, steppedClock, WeftClock } from './model-clock.ts';
import { RerunQueue } from './rerun-queue.ts';
import { takeUpRun } from './resume-run.ts';
import { RunFiles } from './run-files.ts';
import { leastTickMs, RunLoop, type SentCommand } from './run-loop.ts';
import type { FromRunThread, RunThreadOptions, ToRunThread } from './run-messages.ts';
import { WhatIfQueue } from './what-if-queue.ts';

/** While Weft is away the same error occurs thousands of times. */
const troubleEveryMs = 60_000;
const stopGraceMs = 2_000;

// Of this thread, where the system knows threads by numbers: access points of a model wait for real ones, at any speed.
if (process.platform === 'linux') setPriority(0, 10);

const port = parentPort!;
const options = workerData as RunThreadOptions;
const { task, job_number, stateDir, url, trustedCertificate } = options;
const weftClock = new WeftClock(options.clock);
const clock = new ModelClock(weftClock, task);
const files = stateDir === undefined ? undefined : new RunFiles(stateDir, job_number);
const stopping = new AbortController();
let mustSave = false;
let answerRequest: ((request: EmulatorRequest) => Promise<unknown> | undefined) | undefined;
const early: EmulatorRequest[] = [];
const toldAt = new Map<string, number>();

port.on('message', (message: ToRunThread) => {
  if (message.type === 'clock') weftClock.set(message.reading);
  else if (message.type === 'request') void hear(message.request);
  else {
    mustSave = message.save;
    stopping.abort();
  }
});

const begun = await resumeRun();
if (begun) await live(begun);

async function resumeRun(): Promise<EmulatedRun | undefined> {
  try {
    return await takeUpRun({ task, clock, files, settings: options.settings, onEntry: keep, onTrouble });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    say({ type: 'impossible', detail: error.message });
    return undefined;
  }
}

async function live(run: EmulatedRun): Promise<void> {
  const devicePrefix = `emu-${job_number.slice(0, 8)}-`;
  run.world.nameDevices(devicePrefix);
  run.world.listDevicesEvery(listEverySeconds(run.world.totals().devices) * task.speed);
  const samplesPerReport = Math.max(1, (task.speed * leastTickMs) / 1000 / task.report_interval_seconds);
  const fleet = new AgentFleet({ task, run, url, trustedCertificate, samplesPerReport, onTrouble });
  const onStatus = (status: ReturnType<RunLoop['status']>) => say({ type: 'status', status });
  const isStepped = task.pace === 'stepped';
  const pace = isStepped ? steppedClock(run) : clock;
  const loop = new RunLoop({ task, run, clock: pace, fleet, files, onStatus, onTrouble });
  // Before anything is answered: commands and faults are repeated from a saved state on, and without one they are lost.
  await loop.save().catch(onTrouble);
  let lastStep: Promise<unknown> = Promise.resolve();
  const step = ({ seconds, sent }: Record<string, unknown>) => {
    if (!isStepped) return Promise.resolve({ error: { code: 'not_stepped', detail: 'This run goes by the clock' } });
    const next = lastStep.then(() => loop.step(Number(seconds), sent as SentCommand[], stopping.signal));
    lastStep = next;
    return next;
  };
  const queue = new WhatIfQueue({ run });
  const radioMaps = new CoverageQueue({ run, stepMs: () => loop.stepMs });
  const reruns = new RerunQueue({ run, task, devicePrefix });
  answerRequest = ({ id, kind, body }) => {
    if (kind === 'cancel') {
      radioMaps.cancel(String(body.id));
      return queue.cancel(String(body.id));
    }
    if (kind === 'coverage') return radioMaps.ask(body, id);
    if (kind === 'step') return step(body);
    if (kind === 'rerun') return Promise.resolve(reruns.ask(body));
    return kind === 'fault' ? Promise.resolve(makeFault(run, body)) : queue.ask(body, id);
  };
  for (const request of early.splice(0)) void hear(request);
  fleet.follow();
  onStatus(loop.status());
  await loop.run(stopping.signal);
  queue.close();
  radioMaps.close();
  reruns.close();
  const status = loop.status();
  if (stopping.signal.aborted) {
    if (mustSave) await loop.save().catch(onTrouble);
    await fleet.stop(mustSave ? stopGraceMs : 0);
    say({ type: 'stopped' });
    return;
  }
  // If the report of the end is lost, it can be repeated.
  await loop.save().catch(onTrouble);
  await fleet.stop(stopGraceMs);
  say({ type: 'ended', status: { ...status, agents_online: 0, ...fleet.samples } });
}

/** By the clock: who is attached where is news for people and programs, and must not cost more than all other reports. */
function listEverySeconds(devices: number): number {
  return Math.min(5, Math.max(1, devices / 4_000));
}

async function hear(request: EmulatorRequest): Promise<void> {
  if (!answerRequest) early.push(request);
  else {
    const answer = answerRequest(request);
    if (answer) say({ type: 'answer', id: request.id, answer: await answer });
  }
}

function makeFault(run: EmulatedRun, body: Record<string, unknown>): unknown {
  const { agent_id, ...fault } = body as unknown as { agent_id: string } & FaultRequest;
  if (!run.isActive(agent_id)) {
    return { error: { code: 'agent_not_found', detail: 'Agent not found in this run, or its time is over' } };
  }
  try {
    run.fault(agent_id, fault);
    return { status: 'success' };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { error: { code: 'invalid_fault', detail: error.message } };
  }
}

function keep(entry: RunEntry): void {
  try {
    files?.append(entry);
  } catch (error) {
    // The run continues; only a process that resumes it will not have this entry.
    onTrouble(error);
  }
}

function say(message: FromRunThread): void {
  port.postMessage(message);
}

function onTrouble(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  const now = performance.now();
  const kind = message.slice(0, 40);
  if (now - (toldAt.get(kind) ?? Number.NEGATIVE_INFINITY) < troubleEveryMs) return;
  if (toldAt.size > 100) toldAt.clear();
  toldAt.set(kind, now);
  say({ type: 'trouble', message });
}
