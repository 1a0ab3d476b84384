// A Weft in memory, for the tests of control programs: access points with their newest values, live samples, commands that
// succeed at once; and everything else as it was recorded. No server, no network, no waiting.
import { closestName } from '@weft/contract/closest-name';
import type { LatestValues } from './core/app/fleet-reader.ts';
import { setBy } from './core/app/sent-command.ts';
import type { WebSocketClass } from './core/app/web-socket.ts';
import { App } from './node-app.ts';

/** What Weft answered to a request. Neither what was sent nor a token is in it. */
export interface RecordedAnswer {
  /** Such as `GET /api/v1/alarms?state=firing`. */
  request: string;
  status: number;
  body: unknown;
}

export interface FakeCommand {
  ap_id: string;
  name: string;
  args: Record<string, unknown>;
}

/** How a command ends; what is left out is as if all went well. */
export interface FakeOutcome {
  state?: 'succeeded' | 'failed';
  result?: unknown;
  applied?: Record<string, unknown>;
  /** It is refused (409), with this reason. */
  refused?: 'held_by_other' | 'too_soon' | 'frozen' | 'blast_radius';
}

export interface FakeWeftOptions {
  /** The configuration of each access point, by its `ap_id`. */
  agents?: Record<string, Record<string, unknown>>;
  /** Answers to other requests; of several for one request, each is given once, and the last again and again. */
  answers?: readonly RecordedAnswer[];
  onCommand?: (command: FakeCommand) => FakeOutcome | undefined;
}

type Handler = (query: URLSearchParams, path: string) => unknown;

export class FakeWeft {
  /** Every command that was sent and not refused. */
  readonly commands: FakeCommand[] = [];
  readonly #options: FakeWeftOptions;
  readonly #latest = new Map<string, LatestValues>();
  readonly #readers = new Set<{ agents: string[]; metrics: string[]; send: (event: string) => void }>();
  readonly #jobs = new Map<string, unknown>();
  readonly #recorded = new Map<string, RecordedAnswer[]>();
  #clockMs = Date.now();

  constructor(options: FakeWeftOptions = {}) {
    this.#options = options;
    for (const answer of options.answers ?? []) {
      this.#recorded.set(answer.request, [...(this.#recorded.get(answer.request) ?? []), answer]);
    }
  }

  /** An App that talks to this one. */
  app(): App {
    return new App({ url: 'http://weft.test', token: 'fake', fetch: this.fetch, WebSocket: NoSocket, patienceMs: 0 });
  }

  /** As if the access point had reported it, a second after the report before. */
  report(ap_id: string, metrics: Record<string, number>): void {
    this.#clockMs += 1000;
    const ts = new Date(this.#clockMs).toISOString();
    const before = this.#latest.get(ap_id)?.metrics ?? {};
    const fresh = Object.fromEntries(Object.entries(metrics).map(([name, value]) => [name, { ts, value }]));
    this.#latest.set(ap_id, { ap_id, presence: 'online', metrics: { ...before, ...fresh } });
    for (const { agents, metrics: wanted, send } of this.#readers) {
      if (agents.length > 0 && !agents.includes(ap_id)) continue;
      const chosen = Object.entries(metrics).filter(([name]) => wanted.length === 0 || wanted.includes(name));
      const data = JSON.stringify({ ap_id, ts, metrics: Object.fromEntries(chosen) });
      if (chosen.length > 0) send(`event: sample\ndata: ${data}\n\n`);
    }
  }

  /** In place of the platform's: the option `fetch` of an App. */
  readonly fetch: typeof fetch = async (input, init) => {
    const url = new URL(String(input));
    const path = url.pathname.replace(/\/$/, '');
    const request = `${init?.method ?? 'GET'} ${path}`;
    init?.signal?.throwIfAborted();
    const recorded = this.#recorded.get(request + url.search) ?? this.#recorded.get(request);
    const next = recorded && recorded.length > 1 ? recorded.shift() : recorded?.[0];
    if (next) return toAnswer(next.status, next.body);
    if (request === 'GET /api/v1/metrics/stream') return this.#stream(url.searchParams, init?.signal);
    const known = this.#handlers[request.replace(/^(GET \/api\/v1\/jobs\/).*/, '$1*')];
    const answer = known?.(url.searchParams, path);
    if (answer instanceof Response) return answer;
    if (answer !== undefined) return toAnswer(200, answer);
    const near = closestName(request, [...this.#recorded.keys(), ...Object.keys(this.#handlers)]);
    const detail = `no answer is recorded for ${request}${near ? `; the nearest is ${near}` : ''}`;
    return toAnswer(404, { code: 'not_recorded', detail });
  };

  readonly #handlers: Record<string, Handler> = {
    'GET /api/v1/metrics/agent_details': () =>
      Object.entries(this.#options.agents ?? {}).map(([ap_id, configuration]) => {
        return { id: ap_id, ap_id, configuration, onboard: true };
      }),
    'GET /api/v1/metrics/latest': (query) => {
      const wanted = query.getAll('agents');
      return {
        agents: [...this.#latest.values()].filter(({ ap_id }) => wanted.length === 0 || wanted.includes(ap_id)),
      };
    },
    'POST /api/v1/send_command': (query) => this.#command(query),
    'GET /api/v1/jobs/*': (_query, path) => this.#jobs.get(path.split('/').at(-1)!),
  };

  #command(query: URLSearchParams): unknown {
    const { name, ...args } = toCommand(query.get('command') ?? '');
    const command: FakeCommand = { ap_id: query.get('agent_id') ?? '', name, args };
    const { state = 'succeeded', result = null, applied, refused } = this.#options.onCommand?.(command) ?? {};
    const verdict = { verdict: 'accepted', reason: 'free', detail: 'accepted', rival: null, hold_until: null };
    if (refused) {
      const until = new Date(Date.now() + 60_000).toISOString();
      const rival = { command_id: 'other', caller_kind: 'third_party_app', caller_name: 'other', ap_id: command.ap_id };
      const held = { rival: { ...rival, parameter: name, until }, lease_until: until };
      const body = { code: 'command_conflict', detail: `refused: ${refused}`, reason: refused };
      return toAnswer(409, { ...body, ...(refused === 'held_by_other' && held) });
    }
    if (query.get('dry_run') === 'true') return { dry_run: true, ...verdict };
    const id = `fake-${this.commands.push(command)}`;
    const said = { command_id: id, ap_id: command.ap_id, command: name, args: null, state, applied: applied ?? null };
    const data = [{ ...said, ...verdict, result }];
    const message = { job_number: id, seq: 1, type: 'command', data, final: true, ts: new Date().toISOString() };
    this.#jobs.set(id, { job_number: id, state, last_seq: 1, ended_at: message.ts, messages: [message] });
    // What it has set is measured from now on.
    const shown = state === 'succeeded' && setBy(name, { ...args, ...applied });
    this.report(command.ap_id, shown ? { [shown.metric]: shown.value } : {});
    return { job_number: id, command_id: id, status: 'queued', websocket: '', ...verdict };
  }

  #stream(query: URLSearchParams, signal: AbortSignal | null | undefined): Response {
    const encoder = new TextEncoder();
    let reader: { agents: string[]; metrics: string[]; send: (event: string) => void };
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const send = (event: string) => controller.enqueue(encoder.encode(event));
        reader = { agents: query.getAll('agents'), metrics: query.getAll('metrics'), send };
        this.#readers.add(reader);
        send(': open\n\n');
        signal?.addEventListener('abort', () => this.#readers.delete(reader));
      },
      cancel: () => void this.#readers.delete(reader),
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  }
}

/**
 * A `fetch` that keeps what Weft answers, for a FakeWeft: `answers` can be written to a file as JSON. Streams are not kept, and
 * of a login only that it worked.
 */
export function recordAnswers(real: typeof fetch = fetch): { fetch: typeof fetch; answers: RecordedAnswer[] } {
  const answers: RecordedAnswer[] = [];
  return {
    answers,
    async fetch(input, init) {
      const response = await real(input, init);
      const { pathname, search } = new URL(String(input));
      if (!response.headers.get('content-type')?.startsWith('application/json')) return response;
      const path = pathname.replace(/\/$/, '');
      const isLogin = path.endsWith('/token');
      const body = isLogin
        ? { access_token: 'fake', token_type: 'bearer', expires_in: 3600 }
        : await response.clone().json();
      answers.push({
        request: `${init?.method ?? 'GET'} ${path}${isLogin ? '' : search}`,
        status: response.status,
        body,
      });
      return response;
    },
  };
}

/** Jobs are then read by asking for them. */
const NoSocket = class {
  readonly readyState = 3;
  onopen = null;
  onmessage = null;
  onerror = null;
  #onclose: ((event: never) => void) | null = null;

  get onclose() {
    return this.#onclose;
  }

  set onclose(told) {
    this.#onclose = told;
    queueMicrotask(() => told?.({ code: 1006 } as never));
  }

  close(): void {}
} satisfies WebSocketClass;

function toCommand(text: string): { name: string } & Record<string, unknown> {
  return text.startsWith('{') ? JSON.parse(text) : { name: text };
}

function toAnswer(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
}
