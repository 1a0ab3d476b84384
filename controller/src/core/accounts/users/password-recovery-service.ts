// Password recovery. A request is only stored, whether or not the account exists; a loop in
// the background sends the mails. So both cases have the same answer and timing, and a restart loses no request.
import { randomUUID } from 'node:crypto';
import { anonymous } from '../../base/caller.ts';
import { UnusableRequestError } from '../../base/errors.ts';
import { escapeHtml, type Mail, type Mailer } from '../../base/mail/mailer.ts';
import type { PasswordHasher } from '../../base/password-hasher.ts';
import { PeriodicTask } from '../../base/periodic-task.ts';
import { generateSecret, hashGeneratedSecret } from '../../base/secrets.ts';
import { principalOf } from '../../base/shares/shares.ts';
import type { CallerChanges } from '../audit/caller-changes.ts';
import type { RecoveryRequest, ResetTokenStore } from './reset-token-store.ts';
import { passwordReset } from './user-entries.ts';
import { normalizeUsername, type UserService } from './user-service.ts';
import type { UserStore } from './user-store.ts';

export const tokenLifeMs = 60 * 60_000;
const leaseMs = 60_000;
const pollMs = 5_000;
const wakeMs = 100;
const mailsPerHour = 3;
const maxPending = 10_000;
// One at a time: a slow mail server must not delay requests that are leased but not processed yet.
const batchSize = 1;

export interface PasswordRecoveryOptions {
  users: UserStore;
  resetTokens: ResetTokenStore;
  mailer: Mailer;
  hasher: PasswordHasher;
  requireNotName: UserService['requireNotName'];
  changes: CallerChanges;
  /** The address for links in mails; read when a mail is written, because the port may be chosen at start. */
  publicUrl: () => string;
  /** Of the database that nodes share, if they do. */
  now: () => number;
  onError: (error: unknown, message: string) => void;
}

export class PasswordRecoveryService extends PeriodicTask {
  readonly #options: PasswordRecoveryOptions;
  #isStarted = false;

  constructor(options: PasswordRecoveryOptions) {
    super({ everyMs: pollMs, what: 'password recovery', run: () => this.#round(), onError: options.onError });
    this.#options = options;
  }

  override start(): void {
    this.#isStarted = true;
    super.start();
    this.soon();
  }

  async request(username: string): Promise<void> {
    const request = {
      id: randomUUID(),
      username: normalizeUsername(username),
      requested_at: this.#options.now(),
      attempts: 0,
    };
    await this.#options.resetTokens.enqueue(request, maxPending);
    if (this.#isStarted) this.soon(wakeMs + Math.random() * 2 * wakeMs);
  }

  /** Throws UnusableRequestError (400), with one message for every cause, if the token is invalid. */
  async reset(token: string, newPassword: string): Promise<void> {
    const { resetTokens, hasher, requireNotName, changes } = this.#options;
    const password_hash = await hasher.hash(newPassword, { principal: principalOf(anonymous) });
    const change = { password_hash, ver: generateSecret() };
    const username = await changes.make<{ id: string; username: string }, string | undefined>(
      ({ after }) => {
        const { id, username: name } = after!;
        // Only here is it known whose it is; the token stays valid.
        requireNotName(newPassword, name, 'new_password');
        const revoked = { kind: 'user', id, name, what: 'changed', isRevoked: true, by: anonymous } as const;
        return { entry: passwordReset(after!), change: revoked };
      },
      (also) => resetTokens.redeem(hashGeneratedSecret(token), this.#options.now(), change, also),
    );
    if (username === undefined) {
      throw new UnusableRequestError(
        400,
        'invalid_reset_token',
        'This reset token is unknown, used or expired; request a new one',
      );
    }
  }

  async #round(): Promise<void> {
    const { resetTokens } = this.#options;
    const now = this.#options.now();
    for (;;) {
      const requests = await resetTokens.claim(now, now + leaseMs, batchSize);
      for (const request of requests) await this.#handle(request);
      if (requests.length < batchSize) return;
    }
  }

  /** A request whose mail fails stays in the store and is retried when its lease ends. */
  async #handle(request: RecoveryRequest): Promise<void> {
    const { users, resetTokens, mailer, publicUrl, onError } = this.#options;
    const now = this.#options.now();
    const user = request.requested_at + tokenLifeMs > now ? await users.get(request.username) : undefined;
    if (user && user.disabled_at === null && user.waiting_since === null) {
      const token = generateSecret();
      const token_hash = hashGeneratedSecret(token);
      const record = { token_hash, user_id: user.id, created_at: now, expires_at: now + tokenLifeMs };
      if (await resetTokens.create(record, mailsPerHour)) {
        try {
          await mailer.send(resetMail(user.username, token, publicUrl()));
        } catch (error) {
          await resetTokens.discard(token_hash);
          onError(error, 'a password recovery mail could not be sent; it will be retried');
          return;
        }
      }
    }
    await resetTokens.finish(request.id);
  }
}

// The text of the password recovery mail.

/** The token is in the fragment (`#`), so that it is not in server logs and Referer headers. */
export function resetMail(username: string, token: string, publicUrl: string): Mail {
  const link = `${publicUrl}/reset-password#token=${token}`;
  const lines = [
    `A password reset was requested for ${username} at ${publicUrl}.`,
    'If you requested it, open this link within 60 minutes and choose a new password:',
    link,
    `You can also use the API: POST ${publicUrl}/api/v1/users/reset-password with {"token": "${token}", "new_password": "..."}`,
    'If you did not request it, ignore this message: your password is not changed.',
  ];
  return {
    to: username,
    subject: 'Reset your Weft password',
    text: `${lines.join('\n\n')}\n`,
    html: lines
      .map((line) =>
        line === link ? `<p><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p>` : `<p>${escapeHtml(line)}</p>`,
      )
      .join('\n'),
  };
}
