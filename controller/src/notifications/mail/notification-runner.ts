// Tells one recipient: collects events from the log, waits for the end of a digest and of quiet hours, and sends them as one mail.
// The position is written down after the mail was accepted, so that nothing is lost; a mail may come twice.
import { backOffMs } from '@weft/contract/back-off';
import type { EventLog } from '../../event-log/event-log.ts';
import type { LoggedEvent } from '../../event-log/event-record.ts';
import { severityOf } from './notification-mail.ts';
import type { NotificationProgress, NotificationRecord } from './notification-store.ts';
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

export interface NotificationRunnerOptions {
  notification: NotificationRecord;
  log: Pick<EventLog, 'read' | 'newest'>;
  choose: (events: readonly LoggedEvent[]) => Promise<LoggedEvent[]>;
  /** Resolves once the mail is accepted. */
  send: (notification: NotificationRecord, events: readonly LoggedEvent[]) => Promise<void>;
  /** False if the notification is another one now. */
  save: (progress: NotificationProgress) => Promise<boolean>;
  onError: (error: unknown, message: string) => void;
  now?: () => number;
}

export class NotificationRunner {
  readonly notification: NotificationRecord;
  readonly #options: NotificationRunnerOptions;
  readonly #now: () => number;
  #waiting: LoggedEvent[] = [];
  #readUpTo: number;
  #position: number;
  #savedAtMs: number;
  #failures = 0;
  #retryAtMs = 0;

  constructor(options: NotificationRunnerOptions) {
    this.#options = options;
    this.notification = options.notification;
    this.#now = options.now ?? Date.now;
    this.#readUpTo = options.notification.position;
    this.#position = options.notification.position;
    this.#savedAtMs = this.#now();
  }

  /** One round; resolves false if the notification is another one now. Throws if the database is away. */
  async run(): Promise<boolean> {
    await this.#read();
    const nowMs = this.#now();
    if (this.#waiting.length === 0) return this.#passOver(nowMs);
    if (!this.#isDue(nowMs)) return true;
    return this.#tell(nowMs);
  }

  async #read(): Promise<void> {
    const { log, choose } = this.#options;
    const { events: kinds, severities } = this.notification.rule;
    while (this.#waiting.length < maxHeld) {
      const newest = await log.newest();
      if (newest <= this.#readUpTo) return;
      const page = await log.read({ after: this.#readUpTo, before: newest + 1, kinds, limit: readAtOnce });
      const wanted = page.events.filter((event) => severities.includes(severityOf(event)));
      this.#waiting.push(...(await choose(wanted)));
      this.#readUpTo = page.next ?? newest;
    }
  }

  #isDue(nowMs: number): boolean {
    const { digest_minutes, quiet, time_zone } = this.notification.rule;
    const { last_sent_at } = this.notification;
    if (nowMs < this.#retryAtMs || (last_sent_at !== null && nowMs - last_sent_at < betweenMailsMs)) return false;
    const collectMs = Math.max(digest_minutes * 60_000, gatherMs);
    if (nowMs - this.#waiting[0]!.ts < collectMs && this.#waiting.length < maxHeld) return false;
    if (!quiet || !isQuiet(quiet, time_zone, nowMs)) return true;
    return this.#waiting.some((event) => (quiet.except ?? ['critical']).includes(severityOf(event)));
  }

  async #tell(nowMs: number): Promise<boolean> {
    const { send, onError } = this.#options;
    const { notification } = this;
    try {
      await send(notification, this.#waiting);
    } catch (error) {
      onError(error, 'a notification could not be sent; trying again');
      this.#retryAtMs = nowMs + backOffMs(this.#failures++, pauses);
      if (notification.failing_since !== null) return true;
      notification.failing_since = nowMs;
      return this.#save();
    }
    this.#failures = 0;
    this.#waiting = [];
    this.#position = this.#readUpTo;
    notification.last_sent_at = nowMs;
    notification.failing_since = null;
    return this.#save();
  }

  /** What was not for them need not be read again after a restart. */
  async #passOver(nowMs: number): Promise<boolean> {
    if (this.#readUpTo === this.#position || nowMs - this.#savedAtMs < idleSaveMs) return true;
    this.#position = this.#readUpTo;
    return this.#save();
  }

  async #save(): Promise<boolean> {
    const { id, version, last_sent_at, failing_since } = this.notification;
    this.#savedAtMs = this.#now();
    return this.#options.save({ id, version, position: this.#position, last_sent_at, failing_since });
  }
}
