// Every request has an id that answers and logs carry: the client's own, if it is harmless, or one of ours.
import { randomBytes } from 'node:crypto';

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
