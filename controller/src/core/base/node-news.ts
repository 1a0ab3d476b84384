// News between nodes: over the broker, and over the database while this node or another one does not reach the broker, which is never
// the only way.
import { randomUUID } from 'node:crypto';
import type { Broker } from '@weft/broker';
import { BoundedMap } from '@weft/contract/bounded-map';
import { PeriodicTask } from './periodic-task.ts';
import { maxNewsBytes, PostgresNews } from './storage/postgres-news.ts';

const everyMs = 500;
/** So long after another node has said that it does not hear the broker, it is told over the database too. */
const believedMs = 3_000;
/** Far more than are told while a broker comes or goes. */
const maxRemembered = 10_000;

/** `away`: who sends it does not hear the broker. `all`: news for everybody. `those`: for those who do not hear the broker. `gap`: there were news. */
type Kind = 'away' | 'all' | 'those' | 'gap';

interface Listener {
  onNews(news: string): void;
  onGap(): void;
}

export interface NodeNewsOptions {
  broker: Pick<Broker, 'broadcast' | 'listen' | 'tells'>;
  /** Of the database that the nodes share; absent, there is one node. */
  databaseUrl?: string | undefined;
}

export class NodeNews {
  readonly #broker: NodeNewsOptions['broker'];
  readonly #node = randomUUID();
  readonly #listeners: Listener[] = [];
  readonly #database: PostgresNews | undefined;
  readonly #beat = new PeriodicTask({ everyMs, what: 'the look at the broker', run: () => this.#look() });
  /** Node and number of what was heard: it may come both ways when one of them has just begun or ended. */
  readonly #heardOf = new BoundedMap<string, true>(maxRemembered);
  #told = 0;
  #othersAwayUntilMs = Number.NEGATIVE_INFINITY;
  #beatsWithout = 0;

  constructor({ broker, databaseUrl }: NodeNewsOptions) {
    this.#broker = broker;
    broker.listen(
      (text) => this.#heard(text),
      // After every connection, also one that was lost again between two looks.
      () => {
        this.#beatsWithout = 0;
      },
    );
    if (databaseUrl === undefined) return;
    this.#database = new PostgresNews(databaseUrl, {
      onNews: (text) => this.#heard(text),
      onGap: () => !broker.tells && this.#gap(),
    });
    this.#beat.start();
  }

  /** Tells every other node that listens, soon and at most once. Never throws. Small texts only. */
  broadcast(news: string): void {
    const numbered = `${++this.#told} ${news}`;
    this.#broker.broadcast(`${this.#node} all ${numbered}`);
    if (this.#database === undefined) return;
    if (!this.#broker.tells) this.#notify('all', numbered);
    else if (performance.now() < this.#othersAwayUntilMs) this.#notify('those', numbered);
  }

  /** The same over the broker alone: what would be too much for the database. */
  broadcastByBroker(news: string): void {
    this.#broker.broadcast(`${this.#node} all ${++this.#told} ${news}`);
  }

  /** Hears what other nodes tell. \`onGap\` is called whenever something may have been missed. */
  listen(onNews: Listener['onNews'], onGap: Listener['onGap']): void {
    this.#listeners.push({ onNews, onGap });
    this.#broker.listen(() => {}, onGap);
  }

  async close(): Promise<void> {
    await this.#beat.stop();
    await this.#database?.close();
  }

  #look(): void {
    if (this.#broker.tells) return;
    this.#notify('away');
    // What others have told before they heard that.
    if (++this.#beatsWithout === 2) this.#gap();
  }

  #notify(kind: Kind, news = ''): void {
    const text = `${this.#node} ${kind} ${news}`;
    this.#database?.notify(Buffer.byteLength(text) <= maxNewsBytes ? text : `${this.#node} gap `);
  }

  #heard(text: string): void {
    const [node = '', kind = ''] = text.split(' ', 2);
    if (node === this.#node) return;
    if (kind === 'away') this.#othersAwayUntilMs = performance.now() + believedMs;
    else if (kind === 'gap') this.#gap();
    else if (kind === 'all' || (kind === 'those' && !this.#broker.tells)) {
      const [number = ''] = text.slice(node.length + kind.length + 2).split(' ', 1);
      const id = `${node} ${number}`;
      if (this.#heardOf.get(id)) return;
      this.#heardOf.set(id, true);
      const news = text.slice(id.length + kind.length + 2);
      for (const { onNews } of this.#listeners) onNews(news);
    }
  }

  #gap(): void {
    for (const { onGap } of this.#listeners) onGap();
  }
}
