// A process full of agents for the test of a fleet that comes back: each holds a channel, opens it again when it breaks, and
// logs in again when its token is no longer good. Tells its parent how many have been served.
import { WebSocket } from 'ws';
import { BackOff } from '../sdk/src/index.ts';

export interface FleetOrders {
  url: string;
  password: string;
  agents: { ap_id: string; token: string }[];
  /** So that one client address does not run out of ports. */
  localAddress: string;
}

export interface FleetNews {
  /** Agents whose sample was stored since the last break. */
  served: number;
  /** How often each status was answered to a login or an upgrade. */
  statuses: Record<string, number>;
  /** Of the refusals that say when to come back. */
  retryAfters: Record<string, number>;
  withoutRetryAfter: number;
}

const news: FleetNews = { served: 0, statuses: {}, retryAfters: {}, withoutRetryAfter: 0 };

class FleetMember {
  readonly #orders: FleetOrders;
  readonly #ap_id: string;
  #token: string | undefined;
  readonly #backOff = new BackOff();

  constructor(orders: FleetOrders, { ap_id, token }: FleetOrders['agents'][number]) {
    this.#orders = orders;
    this.#ap_id = ap_id;
    this.#token = token;
  }

  async run(): Promise<never> {
    for (;;) {
      const before = this.#token;
      const leastMs = (before === undefined ? await this.#logIn() : await this.#hold(before)) * 1000;
      // As the SDK does: a token that is refused is renewed at once, and a new one is used at once.
      if (this.#token !== before) continue;
      await new Promise((resolve) => setTimeout(resolve, this.#backOff.next(leastMs)));
    }
  }

  /** Until the channel breaks; resolves how long to wait at least, in seconds. */
  #hold(token: string): Promise<number> {
    const { url, localAddress } = this.#orders;
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/agents/${this.#ap_id}/channel`, {
      headers: { authorization: `Bearer ${token}` },
      localAddress,
    });
    let isServed = false;
    return new Promise((resolve) => {
      socket.on('error', () => resolve(0));
      socket.on('unexpected-response', (_request, response) => {
        if (response.statusCode === 401) this.#token = undefined;
        resolve(note(response.statusCode ?? 0, response.headers['retry-after']));
        response.destroy();
      });
      socket.on('open', () => {
        this.#backOff.reset();
        socket.send(JSON.stringify({ type: 'telemetry', id: 1, payload: { load: 0.5 } }));
      });
      socket.on('message', (text) => {
        if (isServed || JSON.parse(String(text)).type !== 'telemetry_ack') return;
        isServed = true;
        news.served++;
      });
      socket.on('close', () => {
        if (isServed) news.served--;
        resolve(0);
      });
    });
  }

  async #logIn(): Promise<number> {
    const { url, password } = this.#orders;
    try {
      const body = new URLSearchParams({ username: this.#ap_id, password });
      const answer = await fetch(`${url}/api/v1/token/?login_type=agent`, { method: 'POST', body });
      if (answer.ok) this.#token = ((await answer.json()) as { access_token: string }).access_token;
      else await answer.arrayBuffer();
      return note(answer.status, answer.headers.get('retry-after') ?? undefined);
    } catch {
      return 0;
    }
  }
}

function note(status: number, retryAfter: string | undefined): number {
  news.statuses[status] = (news.statuses[status] ?? 0) + 1;
  if (status !== 429 && status !== 503) return 0;
  if (retryAfter === undefined) news.withoutRetryAfter++;
  else news.retryAfters[retryAfter] = (news.retryAfters[retryAfter] ?? 0) + 1;
  return Number(retryAfter ?? 0);
}

process.on('message', (orders: FleetOrders) => {
  for (const agent of orders.agents) void new FleetMember(orders, agent).run();
  setInterval(() => process.send?.(news), 200);
});
