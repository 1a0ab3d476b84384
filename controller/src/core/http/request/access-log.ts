// One line in the log for an answer that is worth it: changes, refusals and failures. Reads are frequent and uninteresting. And
// the id that answers and lines carry: the client's own, if it is harmless, or one of ours.
import { randomBytes } from 'node:crypto';
import type { Caller } from '../../base/caller.ts';
import { type Logger, withoutSecrets } from './log.ts';

export interface Answered {
  request_id: string;
  method: string | undefined;
  url: string | undefined;
  operation: string;
  /** False for changes that are too frequent for the log. */
  logSuccess: boolean;
  status: number;
  /** Of a refusal or failure. */
  code?: string | undefined;
  elapsedMs: number;
  address: string | undefined;
  caller: Caller | undefined;
}

/** Whether `logAnswer` would write a line: for what is answered so often that making the line up would be felt. */
export function isAnswerLogged(log: Logger, answered: Pick<Answered, 'method' | 'logSuccess' | 'status'>): boolean {
  return log.isLevelEnabled(levelOf(answered));
}

export function logAnswer(log: Logger, answered: Answered): void {
  if (!isAnswerLogged(log, answered)) return;
  const { request_id, method, url = '', operation, status, code, elapsedMs, address, caller } = answered;
  const level = levelOf(answered);
  const ms = Math.round(elapsedMs * 10) / 10;
  const who = caller && `${caller.kind}:${caller.name}`;
  log[level](
    { request_id, method, url: withoutSecrets(url.slice(0, 512)), operation, status, code, ms, address, caller: who },
    'answered',
  );
}

function levelOf({ method, logSuccess, status }: Pick<Answered, 'method' | 'logSuccess' | 'status'>) {
  const isRead = method === 'GET' || method === 'HEAD';
  return status >= 500 ? 'error' : status >= 400 || (!isRead && logSuccess) ? 'info' : 'debug';
}

const harmless = /^[A-Za-z0-9._:/+=-]{1,128}$/;

/** Ids of ours count up behind a random prefix per process: unique, and cheap enough for every telemetry post. */
export function createRequestIds() {
  const prefix = randomBytes(6).toString('base64url');
  let counter = 0;
  /** `given` is the client's X-Request-ID. */
  return (given: string | string[] | undefined): string => {
    return typeof given === 'string' && harmless.test(given) ? given : `${prefix}-${(counter++).toString(36)}`;
  };
}
