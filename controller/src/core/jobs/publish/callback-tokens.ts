// The tokens that workers get with a job and show at its callbacks. They are computed from the job's number and stored
// nowhere: a message published twice carries the same one, and every node can tell a forged one.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CredentialScheme, Shown } from '../../base/credential.ts';
import type { Keyring } from '../../base/secrets.ts';

const prefix = 'wcb.';

export class CallbackTokens implements CredentialScheme {
  readonly form = 'bearer';
  readonly only = 'callback_token';
  readonly #keys: readonly Uint8Array[];

  constructor({ callbackKeys }: Pick<Keyring, 'callbackKeys'>) {
    this.#keys = callbackKeys;
  }

  create(job_number: string): string {
    return `${prefix}${job_number}.${sign(this.#keys[0]!, job_number)}`;
  }

  read(token: string): Shown | undefined {
    const name = this.verify(token);
    return name === undefined
      ? undefined
      : { scheme: 'callback_token', admit: () => ({ kind: 'job', name }), remembered: () => undefined };
  }

  /** The number of the job that the token is for, or undefined if nobody with our secret made it. */
  verify(token: string): string | undefined {
    const end = token.lastIndexOf('.');
    if (!token.startsWith(prefix) || end <= prefix.length) return undefined;
    const job_number = token.slice(prefix.length, end);
    const shown = Buffer.from(token.slice(end + 1));
    const isOurs = this.#keys.some((key) => {
      const expected = Buffer.from(sign(key, job_number));
      return shown.length === expected.length && timingSafeEqual(shown, expected);
    });
    return isOurs ? job_number : undefined;
  }
}

function sign(key: Uint8Array, job_number: string): string {
  return createHmac('sha256', key).update(job_number).digest('base64url');
}
