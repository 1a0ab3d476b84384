// Brings settings to agents and takes their word about them, over the channel and by polls. What is to be said to an agent follows from its
// row alone, so that it does not matter which node it is connected to, or what was lost.
import type { ConfigConfirmMessage, ConfigMessage, ConfigResultMessage, ConfigRunningMessage } from '@weft/contract';
import { isObject } from '@weft/contract/is-object';
import type { AgentCaller } from '../../../core/base/caller.ts';
import { TryLaterError } from '../../../core/base/errors.ts';
import type { Keyring } from '../../../core/base/secrets.ts';
import type { Network } from '../../../core/network/network.ts';
import type { LayersInForce } from '../layers-in-force.ts';
import type { AgentConfig, Evidence } from '../model/agent-config.ts';
import { fromLeaves, isSecretReference, leavesOf, referencesOf, replaced, type Settings } from '../model/settings.ts';
import type { AgentConfigStore } from '../store/agent-config-store.ts';
import type { SecretRecord, ValueKey } from '../store/layer-store.ts';

export type ConfigUpMessage = ConfigResultMessage | ConfigRunningMessage;
export type ConfigDownMessage = ConfigMessage | ConfigConfirmMessage;

const maxPollsPerAgent = 4;

export interface ConfigDeliveryOptions {
  configs: AgentConfigStore;
  inForce: LayersInForce;
  network: Pick<Network, 'get' | 'fresh'>;
  keyring: Pick<Keyring, 'decrypt' | 'canDecrypt'>;
  /** Whether an agent that is back with its new settings may be confirmed at once; if not, its roll-out decides. */
  mayConfirm: (config: AgentConfig) => Promise<boolean>;
  now: () => number;
}

export class ConfigDelivery {
  readonly #options: ConfigDeliveryOptions;
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(options: ConfigDeliveryOptions) {
    this.#options = options;
  }

  /** What is to be said to the agent now; on a fresh connection also what was said and may have been lost. It counts as sent. */
  async due({ name }: AgentCaller, isFresh: boolean): Promise<ConfigDownMessage | undefined> {
    const config = await this.#options.configs.get(name);
    if (!config) return undefined;
    const { state, config_id: id, hash } = config;
    if (state === 'confirmed') return { type: 'config_confirm', id, hash };
    const isDue = (state === 'pending' && config.is_due) || (isFresh && state === 'sent');
    const settings = isDue ? await this.#withSecrets(config) : undefined;
    if (!settings) return undefined;
    const isChanged = await this.#advance(config, { kind: 'sent', config_id: id });
    if (!isChanged && state === 'pending') return undefined;
    return { type: 'config', id, hash, settings, trial_seconds: config.trial_seconds };
  }

  /** What an agent says; once it is durable, what is to be said to it. `connection`: a name of the connection that it came over. */
  async heard(
    agent: AgentCaller,
    message: ConfigUpMessage,
    connection: string,
  ): Promise<ConfigDownMessage | undefined> {
    const key = { agent_id: agent.id, ap_id: agent.name };
    const hidden = (await this.#withoutSecrets(agent.name, message)) as ConfigUpMessage;
    if (hidden.type === 'config_result') {
      const { id: config_id, state, reason, settings } = hidden;
      await this.#advance(key, { kind: 'result', config_id, state, reason, settings, connection });
      return undefined;
    }
    const { type: _, ...said } = hidden;
    await this.#advance(key, { kind: 'running', ...said, connection });
    const config = await this.#options.configs.get(agent.name);
    if (config?.state === 'on_trial' && config.is_back && (await this.#options.mayConfirm(config))) {
      await this.#advance(key, { kind: 'passed', config_id: config.config_id });
    }
    return this.due(agent, false);
  }

  /** The long poll: what is to be said to the agent, as soon as there is something. */
  async next(agent: AgentCaller, waitMs: number, gone: AbortSignal): Promise<ConfigDownMessage | undefined> {
    const waiting = this.#waiting.get(agent.name) ?? new Set();
    if (waiting.size >= maxPollsPerAgent) {
      throw new TryLaterError(429, 'too_many_polls', `At most ${maxPollsPerAgent} polls may wait at once`, 5);
    }
    const until = performance.now() + waitMs;
    this.#waiting.set(agent.name, waiting);
    for (let isFresh = true; ; isFresh = false) {
      let wake = () => {};
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      waiting.add(wake);
      gone.addEventListener('abort', wake);
      const leftMs = until - performance.now();
      const timer = setTimeout(wake, Math.max(0, leftMs));
      try {
        const message = gone.aborted ? undefined : await this.due(agent, isFresh);
        if (message || gone.aborted || leftMs <= 0) return message;
        await woken;
      } finally {
        clearTimeout(timer);
        gone.removeEventListener('abort', wake);
        waiting.delete(wake);
        if (waiting.size === 0) this.#waiting.delete(agent.name);
      }
    }
  }

  /** Something may be due for the agent: whoever polls for it looks. */
  wake(ap_id: string): void {
    for (const wake of this.#waiting.get(ap_id) ?? []) wake();
  }

  stop(): void {
    for (const ap_id of [...this.#waiting.keys()]) this.wake(ap_id);
  }

  /**
   * An agent that says a secret again must not bring it into the database: neither as `value` beside its name, nor as a setting, nor in
   * the sentence of whatever has refused it there.
   */
  async #withoutSecrets(ap_id: string, message: ConfigUpMessage): Promise<unknown> {
    const { configs, inForce } = this.#options;
    const { given } = await inForce.current();
    // Only what it was given: by what it says itself it could find out the values of others.
    const text = (await configs.get(ap_id))?.text;
    const values = (text ? referencesOf(JSON.parse(text)) : []).flatMap((reference) => {
      const value = this.#opened(given(reference));
      return value === undefined ? [] : [{ reference, value }];
    });
    const long = values.filter(({ value }) => value.length >= fewestHidden);
    const starred = (text: string) => long.reduce((rest, { value }) => rest.replaceAll(value, '***'), text);
    const hide = (text: string) => values.find(({ value }) => value === text)?.reference ?? starred(text);
    // A setting that it was given may be called as a secret reads.
    const named = (key: string) => (text?.includes(JSON.stringify(key)) ? key : starred(key));
    const walk = (value: unknown): unknown => {
      if (typeof value === 'string') return hide(value);
      if (Array.isArray(value)) return value.map(walk);
      if (!isObject(value)) return value;
      const entries = Object.entries(value).filter(([key]) => key !== 'value' || !('secret' in value));
      return Object.fromEntries(entries.map(([key, item]) => [named(key), walk(item)]));
    };
    const settings = message.settings && { settings: walk(message.settings) };
    if (message.type === 'config_result') {
      const { reason } = message;
      return { ...message, ...settings, ...(reason !== undefined && { reason: starred(reason) }) };
    }
    const { reverted } = message;
    return { ...message, ...settings, reverted: reverted && { ...reverted, reason: starred(reverted.reason) } };
  }

  #advance(agent: { agent_id: string; ap_id: string }, evidence: Evidence) {
    const { agent_id, ap_id } = agent;
    return this.#options.configs.advanceOne({ agent: { agent_id, ap_id }, evidence }, this.#options.now());
  }

  /** Undefined for one that was encrypted with a secret of the installation that is not given any more. */
  #opened(secret: SecretRecord | undefined): string | undefined {
    const { keyring } = this.#options;
    if (!secret || !keyring.canDecrypt(secret.value)) return undefined;
    return keyring.decrypt(secret.value, contextOf(secret));
  }

  /** Undefined if a secret is another one by now, or not this access point's any more: what it shall be is about to change. */
  async #withSecrets({ ap_id, text, overridden }: AgentConfig): Promise<Record<string, unknown> | undefined> {
    const { network, inForce } = this.#options;
    // It may just have been moved to another site.
    await network.fresh();
    const { given, targetsOf } = await inForce.current();
    const agent = network.get(ap_id);
    const targets = agent ? targetsOf(agent) : [];
    let isWhole = true;
    const settings = replaced(JSON.parse(text), (part) => {
      if (!isSecretReference(part)) return part;
      const value = targets.includes(part.of ?? '') ? this.#opened(given(part)) : undefined;
      if (value !== undefined) return { ...part, value };
      isWhole = false;
      return null;
    });
    if (!isWhole) return undefined;
    // What a command has set stays until somebody says otherwise.
    const held = JSON.parse(overridden) as Record<string, string>;
    return fromLeaves([...leavesOf(settings as Settings)].filter(([leaf]) => !Object.hasOwn(held, leaf)));
  }
}

/** Shorter ones would be found in any text. */
const fewestHidden = 4;

/** What a secret is encrypted for. */
export function contextOf({ target, name }: Pick<ValueKey, 'target' | 'name'>): string {
  return target === '' ? `config secret ${name}` : `config secret ${target} ${name}`;
}
