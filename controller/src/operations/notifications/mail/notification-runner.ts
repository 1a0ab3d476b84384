// Notifications by e-mail, on the node that holds the lease. Each has a runner: it collects events from the log, waits for the
// end of a digest and of quiet hours, and sends them as one mail. The position is written down after the mail was accepted, so
// that nothing is lost; a mail may come twice.
import { backOffMs } from '@weft/contract/back-off';
import type { LoggedEvent } from '../../../core/accounts/event-log/event-record.ts';
import { DeliveryLoop, type DeliveryParts, type DeliveryRunner, LogCursor, underLease } from '../delivery-loop.ts';
import { severityOf } from './notification-mail.ts';
import type { NotificationRecord, NotificationStore } from './notification-store.ts';
import { isQuiet } from './quiet-hours.ts';

/** So many events are one mail; more stay in the log. */
const maxHeld = 1_000;
const readAtOnce = 200;
/** What comes within this time of the first event is told with it. */
const gatherMs = 5_000;
/** Mails are at least this far apart. */
const betweenMailsMs = 20_000;
const idleSaveMs = 10_000;
const pauses = { firstMs: 5_000, longestMs: 600_000 };

export interface NotificationDeliveryOptions extends DeliveryParts {
  store: NotificationStore;
  /** Resolves once the mail is accepted. */
  send: (notification: NotificationRecord, events: readonly LoggedEvent[]) => Promise<void>;
  onError: (error: unknown, message: string) => void;
  now?: () => number;
}

export function createNotificationDelivery(
  options: NotificationDeliveryOptions,
): DeliveryLoop<NotificationRecord, NotificationRunner> {
  const { lease, store, onError } = options;
  const createRunner = (recipient: NotificationRecord) => new NotificationRunner(recipient, options);
  return new DeliveryLoop({ what: 'notifications', lease, list: () => store.list(), createRunner, onError });
}

class NotificationRunner implements DeliveryRunner<NotificationRecord> {
  readonly recipient: NotificationRecord;
  readonly #options: NotificationDeliveryOptions;
  readonly #now: () => number;
  readonly #cursor: LogCursor;
  #waiting: LoggedEvent[] = [];
  #position: number;
  #savedAtMs: number;
  #isUnsaved = false;
  #failures = 0;
  #retryAtMs = 0;

  constructor(recipient: NotificationRecord, options: NotificationDeliveryOptions) {
    this.#options = options;
    this.recipient = recipient;
    this.#now = options.now ?? Date.now;
    const { position, rule } = recipient;
    const choose = (events: readonly LoggedEvent[]) =>
      options.choose(
        rule.selector,
        events.filter((event) => rule.severities.includes(severityOf(event))),
      );
    this.#cursor = new LogCursor({ log: options.eventLog, position, kinds: rule.events, readAtOnce, choose });
    this.#position = position;
    this.#savedAtMs = this.#now();
  }

  async run(): Promise<boolean> {
    // A mail that was sent is not sent again because its position could not be written down.
    if (this.#isUnsaved && !(await this.#save())) return false;
    let hasMore = true;
    while (hasMore && this.#waiting.length < maxHeld) {
      hasMore = await this.#cursor.next((events) => this.#waiting.push(...events));
    }
    const nowMs = this.#now();
    if (this.#waiting.length === 0) return this.#passOver(nowMs);
    if (!this.#isDue(nowMs)) return true;
    return this.#tell(nowMs);
  }

  async stop(): Promise<void> {
    // Nothing is on its way between rounds.
  }

  #isDue(nowMs: number): boolean {
    const { digest_minutes, quiet, time_zone } = this.recipient.rule;
    const { last_sent_at } = this.recipient;
    if (nowMs < this.#retryAtMs || (last_sent_at !== null && nowMs - last_sent_at < betweenMailsMs)) return false;
    const collectMs = Math.max(digest_minutes * 60_000, gatherMs);
    if (nowMs - this.#waiting[0]!.ts < collectMs && this.#waiting.length < maxHeld) return false;
    if (!quiet || !isQuiet(quiet, time_zone, nowMs)) return true;
    return this.#waiting.some((event) => (quiet.except ?? ['critical']).includes(severityOf(event)));
  }

  async #tell(nowMs: number): Promise<boolean> {
    const { send, onError } = this.#options;
    const { recipient } = this;
    try {
      await send(recipient, this.#waiting);
    } catch (error) {
      onError(error, 'a notification could not be sent; trying again');
      this.#retryAtMs = nowMs + backOffMs(this.#failures++, pauses);
      if (recipient.failing_since !== null) return true;
      recipient.failing_since = nowMs;
      return this.#save();
    }
    this.#failures = 0;
    this.#waiting = [];
    this.#position = this.#cursor.readUpTo;
    recipient.last_sent_at = nowMs;
    recipient.failing_since = null;
    return this.#save();
  }

  /** What was not for them need not be read again after a restart. */
  async #passOver(nowMs: number): Promise<boolean> {
    if (this.#cursor.readUpTo === this.#position || nowMs - this.#savedAtMs < idleSaveMs) return true;
    this.#position = this.#cursor.readUpTo;
    return this.#save();
  }

  async #save(): Promise<boolean> {
    const { store } = this.#options;
    const { id, version, last_sent_at, failing_since } = this.recipient;
    this.#savedAtMs = this.#now();
    this.#isUnsaved = true;
    const progress = { id, version, position: this.#position, last_sent_at, failing_since };
    const isSame = await underLease(this.#options, (tx) => store.save(tx, progress));
    this.#isUnsaved = false;
    return isSame;
  }
}
