// Parses the messages of the queue of runs. An invalid one is rejected: it will never become valid.
import { RejectMessage } from '@weft/broker';
import type { EmulatorTask } from '@weft/contract';
import { parseObject } from '@weft/contract/is-object';

const maxMessageBytes = 8 * 1024 * 1024;
/** It becomes the name of files. */
const jobNumber = /^[A-Za-z0-9-]{1,64}$/;

export interface SpinupMessage {
  job_number: string;
  callback_token: string;
  task: EmulatorTask;
}

/** Throws RejectMessage. The model validates the rest: such a run is started, and fails with the reason. */
export function parseSpinup(body: Uint8Array): SpinupMessage {
  if (body.length > maxMessageBytes) throw new RejectMessage('the message is too long');
  const message = parseObject(body);
  if (!message) throw new RejectMessage('the message is not a JSON object');
  const { job_number, task_type, callback_token } = message;
  need(task_type === 'emulator_spinup', 'it is not about an emulated network');
  need(typeof job_number === 'string' && jobNumber.test(job_number), 'the job number makes no sense');
  need(typeof callback_token === 'string' && callback_token !== '', 'there is no token for the callbacks');
  need(isTask(message.data), 'the description of the network makes no sense');
  return {
    job_number: job_number as string,
    callback_token: callback_token as string,
    task: message.data as EmulatorTask,
  };
}

function isTask(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return false;
  const task = data as Partial<Record<keyof EmulatorTask, unknown>>;
  const numbers = [task.num_devices, task.duration, task.seed, task.speed, task.report_interval_seconds];
  return (
    numbers.every((value) => typeof value === 'number' && Number.isFinite(value)) &&
    (task.duration as number) > 0 &&
    (task.speed as number) > 0 &&
    isTime(task.model_start) &&
    isTime(task.started_at) &&
    Array.isArray(task.faults) &&
    Array.isArray(task.agents) &&
    task.agents.length > 0 &&
    task.agents.every(isAgent)
  );
}

function isAgent(agent: Partial<Record<keyof EmulatorTask['agents'][number], unknown>> | null): boolean {
  const location = agent?.location as { latitude?: unknown; longitude?: unknown } | undefined;
  return (
    typeof agent?.ap_id === 'string' &&
    typeof agent.password === 'string' &&
    typeof agent.access_point_type === 'string' &&
    typeof agent.duration === 'number' &&
    typeof location?.latitude === 'number' &&
    typeof location.longitude === 'number'
  );
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

function need(isMet: boolean, problem: string): void {
  if (!isMet) throw new RejectMessage(problem);
}
