// Pushes commands to agents that have an address and a secret, and no other transport open: oldest first, one at a
// time an agent, again and again until the command expires. Where several nodes serve, one of them at a time.
import { randomUUID } from 'node:crypto';
import { CommandResult } from '@weft/contract';
import { backOffMs } from '@weft/contract/back-off';
import { Semaphore } from '@weft/contract/semaphore';
import type { AgentService } from '../../../accounts/agents/agent-service.ts';
import type { AgentCaller } from '../../../base/caller.ts';
import { NotFoundError, type Problem } from '../../../base/errors.ts';
import { readJson } from '../../../base/input/json-reader.ts';
import type { Validator } from '../../../base/input/validator.ts';
import { RequestRefused } from '../../../base/outgoing/allow-list.ts';
import type { GuardedHttp } from '../../../base/outgoing/guarded-http.ts';
import { AnswerTooLong, OutgoingError } from '../../../base/outgoing/outgoing-http.ts';
import { PeriodicTask } from '../../../base/periodic-task.ts';
import { rightsOf } from '../../../base/rights/rights.ts';
import type { AgentRow } from '../../../network/agent-rows.ts';
import {
  type CommandDelivery,
  type CommandTransport,
  type OutgoingCommand,
  type SentWindow,
  toAgentCommand,
} from '../command-delivery.ts';
import type { PushSecretService } from './push-secret-service.ts';
import type { PushSecretStore } from './push-secret-store.ts';

const pushesAtOnce = 64;
/** Longer than one push may take. */
const claimMs = 15_000;
const pauses = { firstMs: 1_000, longestMs: 60_000 };
/** The last attempt comes this long before the end, so that its outcome still counts. */
const lastTryMs = 6_000;
/** How often to retry agents whose pushes have no answer yet, and after how many such sweeps to look at all agents. */
const sweepMs = 10_000;
const allEverySweeps = 6;

export interface PushDispatcherOptions {
  delivery: CommandDelivery;
  /** Ends a command as failed that can never be delivered, with the reason. */
  fail: (command_id: string, detail: string) => Promise<void>;
  agents: Pick<AgentService, 'principal' | 'get'>;
  secrets: PushSecretService;
  claims: Pick<PushSecretStore, 'claim' | 'release'>;
  client: Pick<GuardedHttp, 'post' | 'isListed'>;
  validator: Validator;
  sentWindow: SentWindow;
  /** Whether the agent can be reached over another transport now. */
  isReachable: (ap_id: string) => boolean;
  onError: (error: unknown, message: string) => void;
}

interface Line {
  isRunning: boolean;
  isWanted: boolean;
  failures: number;
  retry: NodeJS.Timeout | undefined;
}

export class PushDispatcher implements CommandTransport {
  readonly #options: PushDispatcherOptions;
  readonly #node = randomUUID();
  readonly #pushes = new Semaphore(pushesAtOnce);
  readonly #stopping = new AbortController();
  /** Agents that something is being done for, or waits for another attempt or an answer. */
  readonly #lines = new Map<string, Line>();
  readonly #running = new Set<Promise<void>>();
  readonly #sweeping: PeriodicTask;
  #sweeps = 0;

  constructor(options: PushDispatcherOptions) {
    this.#options = options;
    const run = () => this.#sweep();
    const { onError } = options;
    this.#sweeping = new PeriodicTask({
      everyMs: sweepMs,
      what: 'the reading of the secrets for pushes',
      run,
      onError,
    });
    options.delivery.onDue((ap_id) => this.wake(ap_id));
  }

  /** Begins with what was left from before. */
  async start(): Promise<void> {
    this.#sweeping.start();
    this.#sweeps = 0;
    await this.#sweeping.once();
  }

  /** Aborts running pushes; their commands will be sent again. */
  async stop(): Promise<void> {
    const swept = this.#sweeping.stop();
    this.#stopping.abort(new Error('stopping'));
    for (const { retry } of this.#lines.values()) clearTimeout(retry);
    await Promise.all([swept, ...this.#running]);
  }

  isConnected(): boolean {
    return false;
  }

  /** Whether it has a secret, and an address that the settings allow. */
  isReady({ ap_id, api_url }: Pick<AgentRow, 'ap_id' | 'api_url'>): boolean {
    const { secrets, client } = this.#options;
    return api_url !== undefined && secrets.hasSecret(ap_id) && client.isListed(api_url);
  }

  removed(ap_id: string): Promise<void> {
    return this.#options.secrets.removed(ap_id);
  }

  /** Something may be due for the agent. */
  wake(ap_id: string): void {
    const { secrets, isReachable } = this.#options;
    if (this.#stopping.signal.aborted || !secrets.hasSecret(ap_id) || isReachable(ap_id)) return;
    const line = this.#lines.get(ap_id) ?? { isRunning: false, isWanted: false, failures: 0, retry: undefined };
    this.#lines.set(ap_id, line);
    if (line.retry !== undefined) return;
    line.isWanted = true;
    if (line.isRunning) return;
    line.isRunning = true;
    const run = this.#run(ap_id, line).finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  async #run(ap_id: string, line: Line): Promise<void> {
    const { signal } = this.#stopping;
    let hasMore = false;
    try {
      while (line.isWanted && line.retry === undefined) {
        line.isWanted = false;
        hasMore = await this.#pushes.run(() => this.#pushAll(ap_id, line), signal);
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#options.onError(error, 'commands could not be pushed; trying again');
      hasMore = true;
    } finally {
      line.isRunning = false;
      if (!hasMore && line.retry === undefined) this.#lines.delete(ap_id);
    }
  }

  /** Resolves whether the agent should be looked at again before long. */
  async #pushAll(ap_id: string, line: Line): Promise<boolean> {
    const { delivery, agents, secrets, claims, sentWindow, isReachable } = this.#options;
    const due = sentWindow.unsent(await delivery.due(ap_id, false));
    if (due.length === 0 || isReachable(ap_id)) return false;
    const principal = await agents.principal(ap_id);
    const caller = principal && rightsOf(principal.caller).agent;
    if (!caller) return false;
    const { configuration } = await agents.get(ap_id, caller).catch(orNothing);
    if (configuration.api_url === undefined || configuration.api_url === null) return false;
    const sign = await secrets.signer({ id: caller.id, ap_id });
    if (!sign || !(await claims.claim(ap_id, this.#node, Date.now(), Date.now() + claimMs))) return true;
    try {
      for (const command of due) {
        if (this.#stopping.signal.aborted || isReachable(ap_id)) return true;
        await claims.claim(ap_id, this.#node, Date.now(), Date.now() + claimMs);
        // Pushes before it may have taken long, and it may have been cancelled meanwhile.
        const [stillDue] = await delivery.stillDue([command]);
        if (!stillDue || command.expires_at <= Date.now() || delivery.hasEnded(command.command_id)) continue;
        const problem = await this.#push(command, caller, configuration.api_url, sign);
        if (problem === undefined) line.failures = 0;
        else if (!(await this.#postpone(command, line, problem))) return true;
      }
    } finally {
      await claims.release(ap_id, this.#node);
    }
    return true;
  }

  /** Resolves what went wrong, if that may be otherwise next time. */
  async #push(
    command: OutgoingCommand,
    agent: AgentCaller,
    api_url: unknown,
    sign: (nowMs: number, body: string) => string,
  ): Promise<string | undefined> {
    const { client, delivery, sentWindow } = this.#options;
    const body = JSON.stringify(toAgentCommand(command));
    const request = {
      body,
      headers: { 'X-Weft-Signature': sign(Date.now(), body) },
      below: encodeURIComponent(agent.name),
      signal: this.#stopping.signal,
    };
    try {
      const { status, text } = await client.post(api_url, request);
      if (status >= 300 && status < 400) {
        throw new RequestRefused(`it answered ${status}, and redirects are not followed`);
      }
      if (status < 200 || status >= 300) return `it answered ${status}`;
      sentWindow.note(command.command_id);
      delivery.sent([command.command_id]);
      const answer = this.#readAnswer(text);
      if (answer) await delivery.answer(agent, command.command_id, answer);
      return undefined;
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error;
      // Another attempt would end in the same way.
      if (!(error instanceof RequestRefused || error instanceof AnswerTooLong)) return error.message;
      await this.#options.fail(command.command_id, `The push was refused: ${error.message}`);
      return undefined;
    }
  }

  /** What the agent says about the command in its answer, if that is what the answer is. */
  #readAnswer(text: string): CommandResult | undefined {
    try {
      const { value, inexact } = readJson(Buffer.from(text));
      const problems: Problem[] = [];
      const answer = this.#options.validator.checkBody(CommandResult, value, problems, { inexact });
      return problems.length === 0 ? answer : undefined;
    } catch {
      return undefined;
    }
  }

  /** Tries again later, or gives up when there is no later; resolves whether to go on with the next command. */
  async #postpone({ command_id, ap_id, expires_at }: OutgoingCommand, line: Line, problem: string): Promise<boolean> {
    const leftMs = expires_at - Date.now() - lastTryMs;
    if (leftMs <= 0) {
      await this.#options.fail(command_id, `The push did not work: ${problem}`);
      return true;
    }
    const pauseMs = backOffMs(line.failures++, pauses);
    line.retry = setTimeout(
      () => {
        line.retry = undefined;
        this.wake(ap_id);
      },
      Math.min(pauseMs, leftMs),
    ).unref();
    return false;
  }

  async #sweep(): Promise<void> {
    const isForAll = this.#sweeps++ % allEverySweeps === 0;
    for (const ap_id of isForAll ? await this.#options.secrets.prepare() : [...this.#lines.keys()]) this.wake(ap_id);
  }
}

/** The agent was removed, and with it what is due for it. */
function orNothing(error: unknown): { configuration: Record<string, unknown> } {
  if (error instanceof NotFoundError) return { configuration: {} };
  throw error;
}
