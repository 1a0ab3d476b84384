// Delivers to one webhook: reads the event log from its position, sends a few at once, in order per subject, again and again
// until it works or a day has passed. Each webhook has a runner with bounds of its own, so that none delays another.
import { backOffMs } from '@weft/contract/back-off';
import type { EventLog } from '../../../core/accounts/event-log/event-log.ts';
import type { LoggedEvent, NewEvent } from '../../../core/accounts/event-log/event-record.ts';
import { orderedUuid } from '../../../core/commands/ledger/ordered-uuid.ts';
import { type DeliveryRunner, LogCursor } from '../delivery-loop.ts';
import { type LineItem, WebhookLines } from './webhook-lines.ts';
import type { WebhookAnswer } from './webhook-sender.ts';
import type { DeliveryRecord, WebhookProgress, WebhookRecord, WebhookStore } from './webhook-store.ts';

const sendsAtOnce = 4;
/** So many events are held in memory; more stay in the log. */
const maxHeld = 1_000;
const readAtOnce = 100;
const pauses = { firstMs: 1_000, longestMs: 300_000 };
const givenUpAfterMs = 24 * 3_600_000;
const failingAfterMs = 3_600_000;
/** How soon it is written down what was sent; and how often a position that only passed events that are not for this webhook. */
const saveAfterMs = 250;
const idleSaveMs = 10_000;

export interface WebhookRunnerOptions {
  recipient: WebhookRecord;
  store: Pick<WebhookStore, 'waiting'>;
  log: Pick<EventLog, 'read' | 'newest' | 'byIds'>;
  send: (webhook: WebhookRecord, event: LoggedEvent, attempt: number, signal: AbortSignal) => Promise<WebhookAnswer>;
  /** Those that its selector selects. */
  choose: (events: readonly LoggedEvent[]) => Promise<LoggedEvent[]>;
  /** Writes progress and events in one transaction; false if the webhook is another one now. */
  save: (progress: WebhookProgress, events: readonly NewEvent[]) => Promise<boolean>;
  onDelivered: () => void;
  onError: (error: unknown, message: string) => void;
  now?: () => number;
  random?: () => number;
}

export class WebhookRunner implements DeliveryRunner<WebhookRecord> {
  readonly recipient: WebhookRecord;
  readonly #options: WebhookRunnerOptions;
  readonly #now: () => number;
  readonly #lines = new WebhookLines();
  readonly #stopping = new AbortController();
  readonly #sending = new Set<Promise<void>>();
  readonly #cursor: LogCursor;
  #savedPosition: number;
  #savedAtMs: number;
  #isLoaded = false;
  #isWanted = false;
  #filling: Promise<void> | undefined;
  #saving: Promise<boolean> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #saveTimer: NodeJS.Timeout | undefined;
  #deliveries: DeliveryRecord[] = [];
  #news: NewEvent[] = [];
  #parked: number[] = [];
  #failingSinceMs: number | null;
  #isFailingTold: boolean;

  constructor(options: WebhookRunnerOptions) {
    this.#options = options;
    this.recipient = options.recipient;
    this.#now = options.now ?? Date.now;
    const { id, events: kinds, position, failing_since, is_failing_told } = options.recipient;
    // What happens to the webhook itself would only make more of it.
    const isOther = ({ subject_kind, subject }: LoggedEvent) => subject_kind !== 'webhook' || subject !== id;
    const choose = (events: readonly LoggedEvent[]) => options.choose(events.filter(isOther));
    this.#cursor = new LogCursor({ log: options.log, position, kinds, readAtOnce, choose });
    this.#savedPosition = position;
    this.#savedAtMs = this.#now();
    this.#failingSinceMs = failing_since;
    this.#isFailingTold = is_failing_told;
  }

  get waiting(): number {
    return this.#lines.size;
  }

  run(): Promise<boolean> {
    this.wake();
    return this.save();
  }

  /** There may be new events. */
  wake(): void {
    this.#isWanted = true;
    if (this.#stopping.signal.aborted) return;
    this.#filling ??= this.#fill()
      .catch((error) => {
        this.#isWanted = false;
        this.#options.onError(error, 'events for a webhook cannot be read; trying again');
      })
      .finally(() => {
        this.#filling = undefined;
        if (this.#isWanted && this.#isLoaded && this.#lines.size < maxHeld) this.wake();
      });
  }

  async stop({ isCutOff }: { isCutOff: boolean }): Promise<void> {
    clearTimeout(this.#timer);
    if (isCutOff) this.#stopping.abort(new Error('stopping'));
    this.#isWanted = false;
    const sending = [...this.#sending];
    this.#isLoaded = false;
    await Promise.allSettled([this.#filling, ...sending]);
    this.#stopping.abort(new Error('stopping'));
    clearTimeout(this.#saveTimer);
    if (isCutOff) return;
    await this.save().catch((error) => {
      this.#options.onError(error, 'how far a webhook has come could not be stored; some events are sent again');
    });
  }

  /** Writes down how far it has come, if that is news; resolves false if the webhook is another one now. Throws if it does not work. */
  save(): Promise<boolean> {
    this.#saving ??= this.#saveOnce().finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  async #fill(): Promise<void> {
    if (!this.#isLoaded) await this.#load();
    this.#pump();
    while (this.#isWanted && this.#lines.size < maxHeld && this.#isLoaded) {
      this.#isWanted = false;
      const hasMore = await this.#cursor.next((events) => {
        for (const event of events) this.#lines.add({ event, attempts: 0, nextAtMs: 0, isStored: false });
      });
      this.#isWanted ||= hasMore;
      this.#pump();
    }
  }

  async #load(): Promise<void> {
    const { store, log } = this.#options;
    const waiting = await store.waiting(this.recipient.id);
    const events = new Map(
      (await log.byIds(waiting.map(({ event_id }) => event_id))).map((event) => [event.id, event]),
    );
    for (const { event_id, attempts, next_at } of waiting) {
      const event = events.get(event_id);
      // Events that are no longer kept cannot be sent any more.
      if (event) this.#lines.add({ event, attempts, nextAtMs: next_at, isStored: true });
    }
    this.#isLoaded = true;
  }

  #pump(): void {
    clearTimeout(this.#timer);
    if (!this.#isLoaded || this.#stopping.signal.aborted) return;
    while (this.#sending.size < sendsAtOnce) {
      const item = this.#lines.take(this.#now());
      if (!item) break;
      const sending = this.#deliver(item).finally(() => {
        this.#sending.delete(sending);
        this.#pump();
        if (this.#isWanted) this.wake();
      });
      this.#sending.add(sending);
    }
    const nextMs = this.#lines.nextAtMs() - this.#now();
    if (Number.isFinite(nextMs) && this.#sending.size < sendsAtOnce) {
      this.#timer = setTimeout(() => this.#pump(), Math.max(1, Math.min(nextMs, 60_000))).unref();
    }
  }

  /** Never throws. */
  async #deliver(item: LineItem): Promise<void> {
    const { send, onError } = this.#options;
    const { event } = item;
    let answer: WebhookAnswer;
    try {
      answer = await send(this.recipient, event, item.attempts + 1, this.#stopping.signal);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      onError(error, 'an event could not be sent to a webhook; trying again');
      answer = { status: null, error: 'internal error', duration_ms: 0 };
    }
    if (answer.error === null) this.#succeeded(item);
    else this.#failed(item);
    const isParked = this.#parked.includes(event.id);
    this.#deliveries.push({
      id: orderedUuid(this.#now()),
      ts: this.#now(),
      event_id: event.id,
      kind: event.kind,
      attempt: item.attempts + (answer.error === null ? 1 : 0),
      outcome: answer.error === null ? 'delivered' : isParked ? 'parked' : 'failed',
      ...answer,
    });
    // What goes wrong then is told by the next round, which tries again.
    this.#saveTimer ??= setTimeout(() => {
      this.#saveTimer = undefined;
      this.save().catch(() => {});
    }, saveAfterMs).unref();
  }

  #succeeded(item: LineItem): void {
    this.#options.onDelivered();
    this.#lines.delivered(item);
    if (this.#failingSinceMs === null) return;
    this.#failingSinceMs = null;
    this.#lines.hurry(this.#now());
    if (!this.#isFailingTold) return;
    this.#isFailingTold = false;
    this.#tell('webhook.recovered', 'info', `The webhook ${this.recipient.name} works again`, {});
  }

  #failed(item: LineItem): void {
    const nowMs = this.#now();
    this.#failingSinceMs ??= nowMs;
    if (!this.#isFailingTold && nowMs - this.#failingSinceMs >= failingAfterMs) {
      this.#isFailingTold = true;
      const since = new Date(this.#failingSinceMs).toISOString();
      this.#tell('webhook.failing', 'major', `The webhook ${this.recipient.name} has failed for an hour`, { since });
    }
    if (nowMs - Math.max(item.event.ts, this.recipient.replayed_at) >= givenUpAfterMs) {
      this.#parked.push(item.event.id);
      this.#lines.parked(item);
    } else
      this.#lines.failed(
        item,
        nowMs + backOffMs(item.attempts, { ...pauses, random: this.#options.random ?? Math.random }),
      );
  }

  #tell(kind: string, severity: NewEvent['severity'], text: string, data: Record<string, unknown>): void {
    const { id, name } = this.recipient;
    this.#news.push({ kind, subject_kind: 'webhook', subject: id, severity, text, data: { name, ...data } });
  }

  async #saveOnce(): Promise<boolean> {
    if (this.#parked.length > 0) {
      const ids = this.#parked.splice(0);
      const what = ids.length === 1 ? 'An event was' : `${ids.length} events were`;
      this.#tell('webhook.parked', 'warning', `${what} given up after 24 hours by the webhook ${this.recipient.name}`, {
        count: ids.length,
        first_event_id: ids[0],
        last_event_id: ids.at(-1),
      });
    }
    const isIdle = this.#deliveries.length === 0 && this.#news.length === 0 && !this.#lines.isDirty;
    if (isIdle && (this.#cursor.readUpTo === this.#savedPosition || this.#now() - this.#savedAtMs < idleSaveMs))
      return true;
    const { position, waiting, done } = this.#lines.toSave(this.#cursor.readUpTo);
    const deliveries = this.#deliveries.splice(0);
    const news = this.#news.splice(0);
    const { id, version } = this.recipient;
    try {
      const progress = { failing_since: this.#failingSinceMs, is_failing_told: this.#isFailingTold };
      const isSame = await this.#options.save({ id, version, position, ...progress, waiting, done, deliveries }, news);
      this.#savedPosition = position;
      this.#savedAtMs = this.#now();
      return isSame;
    } catch (error) {
      this.#lines.notSaved(waiting, done);
      this.#deliveries.unshift(...deliveries);
      this.#news.unshift(...news);
      throw error;
    }
  }
}
