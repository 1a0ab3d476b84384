// What access points shall be, for an App: layers, variables, secrets, drafts and roll-outs, by the verbs of the interface.
import type {
  AgentConfigView,
  ChangePreview,
  ChangeSet,
  ChangeSetCreate,
  ConfigLayer,
  ConfigLayerVersion,
  ConfigSecret,
  ConfigSecretSet,
  ConfigVariable,
  ConfigVariableSet,
  Reconfigured,
  Rollout,
  RolloutAgent,
  RolloutPlan,
  RolloutSeries,
} from '@weft/contract/operations';
import type { Abortable } from '../core/app/app-options.ts';
import type { RestClient, RestRequest } from '../core/app/rest-client.ts';
import type { Stream } from '../core/app/stream.ts';

/**
 * `app.config`. An app needs `permissions.config`: `read`, `draft` or `roll_out`. Layers change by a change set that is rolled
 * out, and in no other way.
 *
 * ```ts
 * const layer = { name: 'lobby', selector: 'tag:lobby', weight: 10, settings: { channel: 100 } };
 * const { id } = await app.config.draft({ title: 'A quieter channel', layers: [layer] });
 * const { changed, refused } = await app.config.preview(id);
 * console.log(`${changed} access points change, ${refused} cannot take it`);
 * const rollout = await app.config.rollOut(id, { waves: [{ percent: 10 }, { percent: 100 }], gates: [{ alarms: 0 }] });
 * console.log((await app.config.rollout(rollout.id)).sentence);
 * for await (const { ap_id } of app.select('config:drifted')) await app.config.apply(ap_id);
 * ```
 */
export class Configuration {
  readonly #rest: RestClient;

  constructor(rest: RestClient) {
    this.#rest = rest;
  }

  /** Those in force that the app may see, the heaviest first. */
  layers(options?: Abortable): Stream<ConfigLayer> {
    return this.#pages('/config/layers', options);
  }

  layer(id: string, options?: Abortable): Promise<ConfigLayer> {
    return this.#ask('GET', `/config/layers/${encodeURIComponent(id)}`, options);
  }

  /** Newest first, also of a layer that has ended. */
  versions(id: string, options?: Abortable): Stream<ConfigLayerVersion> {
    return this.#pages(`/config/layers/${encodeURIComponent(id)}/versions`, options);
  }

  variables(options?: Abortable): Stream<ConfigVariable> {
    return this.#pages('/config/variables', options);
  }

  /** Of an access point or a site; null removes it. Resolves how many access points get other settings by it. */
  setVariable(variable: ConfigVariableSet, options?: Abortable): Promise<Reconfigured> {
    return this.#ask('PUT', '/config/variables', { json: variable, ...options });
  }

  /** Those that the app may name; the values are never shown. */
  secrets(options?: Abortable): Stream<ConfigSecret> {
    return this.#pages('/config/secrets', options);
  }

  /** Of the access point or site that the options name, else of the installation. */
  setSecret(name: string, value: string, { signal, ...of }: SecretPlace = {}): Promise<ConfigSecret> {
    return this.#ask('PUT', '/config/secrets', { json: { ...of, name, value }, isRepeatable: false, ...on(signal) });
  }

  async removeSecret(name: string, { signal, ...query }: SecretPlace = {}): Promise<void> {
    await this.#ask('DELETE', `/config/secrets/${encodeURIComponent(name)}`, { query, ...on(signal) });
  }

  /** Newest first. */
  changeSets(options?: Abortable): Stream<ChangeSet> {
    return this.#pages('/config/change_sets', options);
  }

  changeSet(id: string, options?: Abortable): Promise<ChangeSet> {
    return this.#ask('GET', changeSet(id), options);
  }

  draft(change: ChangeSetCreate, options?: Abortable): Promise<ChangeSet> {
    return this.#ask('POST', '/config/change_sets', { json: change, ...options });
  }

  /** The draft is based on what is in force now: this is how an outdated one is rebased. */
  replace(id: string, change: ChangeSetCreate, options?: Abortable): Promise<ChangeSet> {
    return this.#ask('PUT', changeSet(id), { json: change, ...options });
  }

  async discard(id: string, options?: Abortable): Promise<void> {
    await this.#ask('DELETE', changeSet(id), options);
  }

  /** What it would do now; nothing happens. */
  preview(id: string, options?: Abortable): Promise<ChangePreview> {
    return this.#ask('POST', `${changeSet(id)}/preview`, { isRepeatable: true, ...options });
  }

  /** Begins to bring it into force. Throws WeftRefusal 409 if a layer has changed since, or an access point cannot take it. */
  rollOut(id: string, plan: RolloutPlan = {}, options?: Abortable): Promise<Rollout> {
    return this.#ask('POST', `${changeSet(id)}/rollout`, { json: plan, ...options });
  }

  /** Newest first. */
  rollouts(options?: Abortable): Stream<Rollout> {
    return this.#pages('/rollouts', options);
  }

  rollout(id: string, options?: Abortable): Promise<Rollout> {
    return this.#ask('GET', rollout(id), options);
  }

  /** How each of its access points stands. */
  rolloutAgents(id: string, options?: Abortable): Stream<RolloutAgent> {
    return this.#pages(`${rollout(id)}/agents`, options);
  }

  /** A metric where the change is and where it is not. */
  series(id: string, metric: string, options?: Abortable): Promise<RolloutSeries> {
    return this.#ask('GET', `${rollout(id)}/series`, { query: { metric }, ...options });
  }

  pause(id: string, options?: Abortable): Promise<Rollout> {
    return this.#ask('POST', `${rollout(id)}/pause`, options);
  }

  /** What has failed so far is accepted. */
  resume(id: string, options?: Abortable): Promise<Rollout> {
    return this.#ask('POST', `${rollout(id)}/resume`, options);
  }

  /** Everybody goes back to what they were, also after it is complete. */
  revert(id: string, options?: Abortable): Promise<Rollout> {
    return this.#ask('POST', `${rollout(id)}/revert`, options);
  }

  /** Nobody else gets it; those that have it keep it. */
  abort(id: string, options?: Abortable): Promise<Rollout> {
    return this.#ask('POST', `${rollout(id)}/abort`, options);
  }

  /** What an access point shall be, what it runs, how they differ, or why. */
  agent(
    ap_id: string,
    view: 'desired' | 'running' | 'diff' | 'why' = 'desired',
    options?: Abortable,
  ): Promise<AgentConfigView> {
    return this.#ask('GET', agentConfig(ap_id), { query: { view }, ...options });
  }

  /** It gets what it shall be again, also over what commands have set. */
  apply(ap_id: string, options?: Abortable): Promise<AgentConfigView> {
    return this.#ask('POST', `${agentConfig(ap_id)}/apply`, { isRepeatable: true, ...options });
  }

  /** What it runs otherwise becomes a layer of its own. */
  adopt(ap_id: string, why: string, options?: Abortable): Promise<AgentConfigView> {
    return this.#ask('POST', `${agentConfig(ap_id)}/adopt`, { json: { why }, ...options });
  }

  #ask<Answer>(method: RestRequest['method'], path: string, more: Partial<RestRequest> = {}): Promise<Answer> {
    return this.#rest.ask({ method, path: `/api/v1${path}`, ...more });
  }

  #pages<Item>(path: string, { signal }: Abortable = {}): Stream<Item> {
    return this.#rest.pages(`/api/v1${path}`, {}, signal);
  }
}

interface SecretPlace extends Abortable, Pick<ConfigSecretSet, 'ap_id' | 'site'> {}

const on = (signal: AbortSignal | undefined) => (signal ? { signal } : {});
const changeSet = (id: string) => `/config/change_sets/${encodeURIComponent(id)}`;
const rollout = (id: string) => `/rollouts/${encodeURIComponent(id)}`;
const agentConfig = (ap_id: string) => `/agents/${encodeURIComponent(ap_id)}/config`;
