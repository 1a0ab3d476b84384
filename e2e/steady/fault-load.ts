// What goes on while a cluster has a fault: access points that post and that hold channels, people who send commands, ask for
// jobs and create users, and open streams. Everything that was acknowledged is in the ledger, and each kind of service knows
// for how long somebody had to do without it.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { light } from '../../bench/harness/load.ts';
import { JobLedger } from '../job-ledger.ts';
import { LedgerAgent } from '../telemetry-ledger.ts';
import { eventually, password, type Weft } from '../weft-process.ts';
import { ChannelAgent, Service } from './service.ts';

const jobPath = '/api/v1/agent_details/request_all_agents_details';
const reportEveryMs = 1_000;
const againMs = 200;
/** As a patient program has it: then the request counts as not answered. */
const answerMs = 10_000;
const commandsAtOnce = 6;
const slowSeconds = 3;
const streamCount = 2;

export class FaultLoad {
  readonly posts = new Service();
  readonly commands = new Service();
  /** From its being accepted to its being done. */
  readonly deliveries = new Service();
  readonly channels = new Service();
  readonly streams = new Service();
  /** Requests for jobs and users, which have no column of their own. */
  readonly others = new Service();
  readonly posting: LedgerAgent[];
  readonly channelling: ChannelAgent[] = [];
  readonly users: string[] = [];
  readonly jobs: JobLedger;
  /** Accepted, with what each of them sets. */
  readonly commandIds = new Map<string, number>();
  /** Which of them took longer than a few seconds from the first attempt on, and how long they took to be accepted. */
  readonly slow: { id: string; seconds: number; acceptedAfter: number }[] = [];
  /** How often each value was set. */
  readonly applied = new Map<number, number>();
  readonly #weft: Weft;
  readonly #token: string;
  readonly #following: Promise<unknown>[] = [];
  readonly #waitingFor = new Map<number, () => void>();
  readonly #over = new AbortController();
  readonly #work: Promise<unknown>[] = [];
  #value = 0;

  /** `weft` is the proxy, `agents` how many access points there are: half of them post, half of them have channels. */
  static async start(weft: Weft, token: string, agents: number): Promise<FaultLoad> {
    const posting: LedgerAgent[] = [];
    const startMs = Date.now() - 15 * 60_000;
    const create = async (ap_id: string) => {
      const json = { ap_id, password, configuration: {} };
      const { status } = await weft.request('POST', '/api/v1/agents/', { token, json });
      if (status !== 200) throw new Error(`no agent: ${status}`);
    };
    for (let index = 0; index < agents / 2; index++) {
      const ap_id = `post-${index}`;
      await create(ap_id);
      const own = (await weft.login(ap_id, password, 'agent')).body.access_token as string;
      posting.push(new LedgerAgent({ ap_id, token: own }, index, { startMs, stepMs: 1 }));
    }
    const load = new FaultLoad(weft, token, posting);
    for (let index = 0; index < agents / 2; index++) {
      const ap_id = `channel-${index}`;
      await create(ap_id);
      const each = new ChannelAgent(weft.url, ap_id, (value) => load.#apply(value));
      onTestFinished(() => each.agent.stop({ graceMs: 0 }));
      await each.agent.start();
      load.channelling.push(each);
    }
    load.#begin();
    return load;
  }

  private constructor(weft: Weft, token: string, posting: LedgerAgent[]) {
    this.#weft = weft;
    this.#token = token;
    this.posting = posting;
    this.jobs = new JobLedger(() => weft.url, token);
    onTestFinished(() => this.#over.abort());
  }

  /** Until each kind of service was given so often more, to each agent too. */
  async more(count: number): Promise<void> {
    const counts = () =>
      new Map([
        ...[...this.posting, ...this.channelling].map((each) => [each.ap_id, each.acknowledged.size] as const),
        ...([
          ['commands', this.applied.size],
          ['users', this.users.length],
        ] as const),
        ['jobs', this.jobs.jobs.length] as const,
      ]);
    const before = counts();
    await eventually(
      async () => [...counts()].filter(([name, value]) => value < before.get(name)! + count).map(([name]) => name),
      (missing) => missing.length === 0,
    );
  }

  forget(): void {
    for (const each of [this.posts, this.commands, this.deliveries, this.channels, this.streams, this.others])
      each.forget();
    this.jobs.refused = 0;
  }

  get refused(): number {
    const all = [this.posts, this.commands, this.channels, this.others];
    return all.reduce((sum, { refused }) => sum + refused, this.jobs.refused);
  }

  /** Nothing new is asked for; what was, is followed to its end. */
  async stop(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#work);
    await Promise.all(this.#following);
    for (const agent of this.posting) await agent.repeatUnanswered(this.#weft);
  }

  get #isOver(): boolean {
    return this.#over.signal.aborted;
  }

  #begin(): void {
    const { posting, channelling } = this;
    this.#work.push(
      ...posting.map((agent, index) => this.#post(agent, (index * reportEveryMs) / posting.length)),
      ...channelling.map((each, index) => this.#report(each, (index * reportEveryMs) / channelling.length)),
      ...Array.from({ length: commandsAtOnce }, (_, first) => this.#command(first)),
      ...Array.from({ length: streamCount }, () => this.#stream()),
      this.#createUsers(),
      this.#askForJobs(),
    );
  }

  async #post(agent: LedgerAgent, firstMs: number): Promise<void> {
    await pause(firstMs);
    while (!this.#isOver) {
      this.posts.asked(agent);
      const status = await agent.post(this.#weft, 1, {}, (answer) => answer !== 200, answerMs);
      if (status === 200) this.posts.answered(agent);
      else this.posts.refused++;
      await pause(status === 200 ? reportEveryMs : againMs);
    }
  }

  async #report(each: ChannelAgent, firstMs: number): Promise<void> {
    await pause(firstMs);
    while (!this.#isOver) {
      this.channels.asked(each);
      const load = each.sent++;
      const isStored = await each.agent.post({ load }).then(
        () => true,
        () => false,
      );
      if (isStored) {
        each.acknowledged.add(load);
        this.channels.answered(each);
      } else this.channels.refused++;
      await pause(isStored ? reportEveryMs : againMs);
    }
  }

  /** One after the other, each to another agent, and each until it was done. */
  async #command(first: number): Promise<void> {
    // Those of its own: a later command of somebody else would replace one that has not been sent yet.
    const own = this.channelling.filter((_, index) => index % commandsAtOnce === first);
    for (let turn = 0; !this.#isOver; turn++) {
      const { ap_id } = own[turn % own.length]!;
      this.commands.asked(first);
      const done = Promise.withResolvers<void>();
      const startedMs = performance.now();
      const passed = () => (performance.now() - startedMs) / 1000;
      let acceptedAfter = 0;
      let id = '';
      let isAccepted = false;
      while (!this.#isOver && !isAccepted) {
        const value = ++this.#value;
        this.#waitingFor.set(value, done.resolve);
        const text = JSON.stringify({ name: 'set_tx_power', dbm: value });
        const query = new URLSearchParams({ agent_id: ap_id, command: text });
        const { status, text: body } = await this.#ask('POST', `/api/v1/send_command?${query}`);
        isAccepted = status === 200;
        acceptedAfter = passed();
        if (isAccepted) {
          id = JSON.parse(body).command_id;
          this.deliveries.asked(first);
          this.commandIds.set(id, value);
        } else {
          this.commands.refused++;
          await pause(againMs);
        }
      }
      if (!isAccepted) return;
      await Promise.race([done.promise, this.#end]);
      if (passed() > slowSeconds) this.slow.push({ id, seconds: passed(), acceptedAfter });
      if (this.#isOver) return;
      this.commands.answered(first);
      this.deliveries.answered(first);
      await pause(500);
    }
  }

  #apply(value: number): void {
    this.applied.set(value, (this.applied.get(value) ?? 0) + 1);
    this.#waitingFor.get(value)?.();
    this.#waitingFor.delete(value);
  }

  /** A stream of all values, opened again when it ends. It is waited for since the last value that came. */
  async #stream(): Promise<void> {
    const caller = {};
    while (!this.#isOver) {
      this.streams.asked(caller);
      try {
        const response = await fetch(`${this.#weft.url}/api/v1/metrics/stream`, {
          headers: { authorization: `Bearer ${this.#token}` },
          signal: this.#over.signal,
        });
        if (response.status !== 200) this.streams.refused++;
        for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
          if (!chunk.includes('event: sample')) continue;
          this.streams.answered(caller);
          this.streams.asked(caller);
        }
      } catch {
        if (!this.#isOver) this.streams.refused++;
      }
      await pause(againMs);
    }
  }

  async #createUsers(): Promise<void> {
    while (!this.#isOver) {
      const username = `${randomUUID()}@example.org`;
      const body = JSON.stringify({ username, password, roles: ['user'] });
      const { status } = await this.#ask('POST', '/api/v1/users/', body);
      if (status === 200) this.users.push(username);
      else this.others.refused++;
      await pause(reportEveryMs);
    }
  }

  async #askForJobs(): Promise<void> {
    while (!this.#isOver) {
      const job = await this.jobs.ask(jobPath);
      if (job) this.#following.push(this.jobs.follow(job, 240_000));
      await pause(reportEveryMs);
    }
  }

  get #end(): Promise<unknown> {
    return new Promise((resolve) => this.#over.signal.addEventListener('abort', resolve, { once: true }));
  }

  async #ask(method: string, path: string, body?: string): Promise<{ status: number; text: string }> {
    const headers = { authorization: `Bearer ${this.#token}`, ...(body && { 'content-type': 'application/json' }) };
    const options = { method, headers, signal: AbortSignal.timeout(answerMs) };
    return await light(this.#weft.url + path, options, body).catch(() => ({ status: 0, text: '' }));
  }
}
