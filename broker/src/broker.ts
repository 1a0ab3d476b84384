// The broker of the job path: carries messages from those who ask to those who work, at least once while its queues last,
// and short news between nodes. Every backend keeps the promises below. A queue may be lost: the embedded broker's are with
// every end of the process, RabbitMQ's if somebody deletes them. That is told, and whoever published publishes again.

/** Between attempts to reach the broker. */
export const retryPauses = { firstMs: 100, longestMs: 10_000 };

/** A message as it is handed to a consumer. */
export interface Delivery {
  /** As given to `publish`. */
  id: string;
  body: Uint8Array;
  /** How often it was handed out before this time, as far as the broker knows. */
  redeliveries: number;
}

export interface PublishOptions {
  /** Names the message in logs and dead letters; the same id may be published again. */
  id: string;
  /** After this long it expires: it is removed from its queue and becomes a dead letter (`expired`). */
  expiresInMs?: number;
}

/** A message that nobody could work on. */
export interface DeadLetter {
  id: string;
  queue: string;
  /** `rejected`: a consumer refused it; `delivery_limit`: handed out too often; `expired`; `maxlen`. */
  reason: 'rejected' | 'delivery_limit' | 'expired' | 'maxlen';
  body: Uint8Array;
}

/** Thrown by a consumer's handler: the message is invalid, and becomes a dead letter. */
export class RejectMessage extends Error {
  override name = 'RejectMessage';
}

/** The broker cannot take the message now (away, blocked, full, no such queue); nothing is known to be stored. */
export class BrokerUnavailable extends Error {
  override name = 'BrokerUnavailable';
  /** `foreign_queue`: something of the same name exists with other arguments; an operator must delete it. */
  readonly code: 'broker_unavailable' | 'foreign_queue';
  constructor(message: string, options: ErrorOptions & { code?: BrokerUnavailable['code'] } = {}) {
    super(message, options);
    this.code = options.code ?? 'broker_unavailable';
  }
}

export interface Consumer {
  /** Takes no more messages; resolves when the handlers under way have ended. Repeated calls are harmless. */
  stop(): Promise<void>;
}

export interface ConsumeOptions {
  /** Most messages in the hands of this consumer at once. */
  prefetch: number;
}

export interface QueueDepth {
  /** Messages that wait, those in consumers' hands not counted. */
  ready: number;
  /** All of them, whoever they belong to. */
  consumers: number;
}

export type Handler<Message> = (message: Message) => Promise<void>;

/** Queues are named in `queues` when the broker is opened; any other name is a mistake and throws at once. */
export interface Broker {
  /**
   * Resolves when the message is in its queue, as durable as the queue is. Throws BrokerUnavailable when it is not known
   * to be: the caller keeps it and tries again, and it may then be there twice. Never waits longer than
   * `publishTimeoutMs`.
   */
  publish(queue: string, body: Uint8Array, options: PublishOptions): Promise<void>;
  /**
   * Hands out messages of a queue, oldest first, to one of its consumers at a time. The message is removed when the
   * handler resolves. If the handler throws, or its process dies and the queue lasts, it is handed out again, until it has
   * been handed out `deliveryLimit + 1` times; then it becomes a dead letter. Goes on by itself after the broker was away.
   */
  consume(queue: string, options: ConsumeOptions, handler: Handler<Delivery>): Promise<Consumer>;
  /** Hands out the dead letters of all queues; kept as queues are until the handler resolves, tried again after it throws. */
  consumeDeadLetters(handler: Handler<DeadLetter>): Promise<Consumer>;
  /**
   * Tells every other node that listens, soon, at most once, and nobody if the broker is away. Never throws. Small
   * texts only.
   */
  broadcast(news: string): void;
  /** Whether news go out and come in right now, as far as is known. */
  readonly tells: boolean;
  /**
   * Hears what other nodes tell, never what this one did. `onGap` is called whenever something may have been missed:
   * after every connection, the first included.
   */
  listen(onNews: (news: string) => void, onGap: () => void): void;
  /** What is in a queue and who takes from it; undefined while it cannot be told. A missing queue is created. */
  depth(queue: string): Promise<QueueDepth | undefined>;
  /** How many consumers of that queue this broker has, of those that `depth` counts, as far as it knows. */
  consuming(queue: string): number;
  /** Throws if it cannot serve right now; the message says why, without secrets. */
  check(): Promise<void>;
  /** Resolves when handlers under way have ended and everything is closed; messages not done stay in queues that last. */
  close(): Promise<void>;
}

export interface BrokerOptions {
  queues: readonly string[];
  /** How often a message may be handed out again. */
  deliveryLimit: number;
  /**
   * Most messages in a queue, those in consumers' hands included, about: a publisher is refused beyond;
   * default: 100,000. Of dead letters a tenth are kept, the newest.
   */
  maxLength?: number;
  /** Most bytes of bodies in a queue, about; default: 1 GiB, in memory 64 MiB. */
  maxBytes?: number;
  /** Called for what happens behind the interface (connected, lost, blocked), for the log. No secrets. */
  onEvent?: (event: BrokerEvent) => void;
}

export interface BrokerEvent {
  /**
   * `queue_lost`: the queue was missing and has been created, also for the first time. Its messages are lost; publishers
   * that remember them can publish them again.
   */
  kind: 'connected' | 'lost' | 'blocked' | 'unblocked' | 'queue_lost' | 'dead_letter';
  detail: string;
  /** Which one, if it is about one. */
  queue?: string;
  /** Of `queue_lost`: how long ago. What was published since then is there. */
  agoMs?: number;
}
