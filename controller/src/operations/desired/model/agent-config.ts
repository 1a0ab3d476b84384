// How an access point stands to what it shall be. Only evidence moves it: what the agent said, what was written to it, a command that
// it confirmed, time that has passed. What was sent proves nothing.
import type { ConfigState } from '@weft/contract/operations';
import { canonicalJson, comparable, fromLeaves, leavesOf, type Settings } from './settings.ts';

export interface AgentConfig {
  agent_id: string;
  ap_id: string;
  /** What it shall be: canonical JSON, its SHA-256, and where each leaf comes from (JSON). */
  text: string;
  hash: string;
  sources: string;
  /** Of the roll-out that asked for it; null if labels, variables or a person did. */
  rollout_id: string | null;
  /** What the agent calls this delivery by; another one for each that is tried. */
  config_id: string;
  /** Whether it may be sent: its wave and its window have come. */
  is_due: boolean;
  trial_seconds: number;
  state: ConfigState;
  /** For people: why. */
  detail: string | null;
  /** Until when the agent must have been heard of, once it was sent. */
  deadline_at: number | null;
  /** The connection over which it said that it had applied it: the proof must come over another one. */
  trial_connection: string | null;
  /** Since when it runs it, as far as is known. */
  trial_at: number | null;
  /** It has said, over another connection, that it runs it: the checks of its roll-out decide. */
  is_back: boolean;
  /** What the agent says it runs; null until it has said it. */
  running_hash: string | null;
  running: string | null;
  running_at: number | null;
  /** Leaves that commands have set, as JSON: leaf → command_id. */
  overridden: string;
  updated_at: number;
}

type Delivered = Pick<
  AgentConfig,
  'text' | 'hash' | 'sources' | 'rollout_id' | 'config_id' | 'is_due' | 'trial_seconds'
>;

export type Evidence =
  | ({ kind: 'wanted'; isAgain?: boolean } & Delivered)
  | { kind: 'impossible'; detail: string; rollout_id: string | null }
  | { kind: 'released' }
  | { kind: 'sent'; config_id: string }
  | {
      kind: 'result';
      config_id: string;
      state: 'applied' | 'refused' | 'substituted';
      reason?: string | undefined;
      settings?: Settings | undefined;
      connection: string;
    }
  | {
      kind: 'running';
      hash: string | null;
      settings: Settings;
      connection: string;
      /** The delivery that it has not heard to be confirmed. */
      trial?: string | undefined;
      reverted?: { id: string; reason: string } | undefined;
    }
  | { kind: 'passed'; config_id: string }
  | { kind: 'failed'; config_id: string; reason: string }
  | { kind: 'commanded'; leaves: readonly string[]; command_id: string; at: number }
  | { kind: 'taken_back'; command_id: string }
  | { kind: 'time' };

/** Longer than a trial: the agent comes back, or has gone back, and says so. */
export const graceMs = 60_000;
const underWay: ReadonlySet<ConfigState> = new Set(['pending', 'sent', 'on_trial', 'confirmed']);

/** The agent has what it shall have, as far as anybody can say. */
export function isSuccess(state: ConfigState): boolean {
  return state === 'in_sync' || state === 'confirmed' || state === 'substituted' || state === 'overridden';
}

/** Whether a layer is about it, also one that it cannot be given. */
export function isAsked({ hash, state }: Pick<AgentConfig, 'hash' | 'state'>): boolean {
  return hash !== '' || state === 'refused';
}

/** An agent that no layer has matched yet. */
export function newAgentConfig(agent: { agent_id: string; ap_id: string }): AgentConfig {
  return {
    ...agent,
    text: '',
    hash: '',
    sources: '{}',
    rollout_id: null,
    config_id: '',
    is_due: false,
    trial_seconds: 0,
    state: 'in_sync',
    detail: null,
    deadline_at: null,
    trial_connection: null,
    trial_at: null,
    is_back: false,
    running_hash: null,
    running: null,
    running_at: null,
    overridden: '{}',
    updated_at: 0,
  };
}

/** The same object if the evidence changes nothing: of another delivery, or said before. */
export function advance(config: AgentConfig, evidence: Evidence, nowMs: number): AgentConfig {
  const next = step(config, evidence, nowMs);
  if (!next) return config;
  return { ...config, ...next, updated_at: nowMs };
}

function step(config: AgentConfig, evidence: Evidence, nowMs: number): Partial<AgentConfig> | undefined {
  const { state, config_id } = config;
  switch (evidence.kind) {
    case 'wanted':
      return wanted(config, evidence);
    case 'impossible':
      // What it was sent was possible, and goes on.
      if (underWay.has(state) && state !== 'pending') return undefined;
      if (state === 'refused' && config.detail === evidence.detail && config.rollout_id === evidence.rollout_id)
        return undefined;
      return {
        state: 'refused',
        detail: evidence.detail,
        rollout_id: evidence.rollout_id,
        deadline_at: null,
        is_due: false,
      };
    case 'released':
      return state === 'pending' && !config.is_due ? { is_due: true } : undefined;
    case 'sent':
      if (evidence.config_id !== config_id || (state !== 'pending' && state !== 'sent')) return undefined;
      return { state: 'sent', detail: null, deadline_at: nowMs + config.trial_seconds * 1000 + graceMs };
    case 'result':
      return result(config, evidence, nowMs);
    case 'running':
      return running(config, evidence, nowMs);
    case 'passed':
      if (evidence.config_id !== config_id || state !== 'on_trial' || !config.is_back) return undefined;
      return confirmed(nowMs);
    case 'failed':
      if (evidence.config_id !== config_id || state !== 'on_trial') return undefined;
      return { detail: evidence.reason };
    case 'commanded': {
      const running = saidBefore(config, evidence);
      const next = held({ ...config, running }, (leaves) =>
        Object.assign(leaves, Object.fromEntries(evidence.leaves.map((leaf) => [leaf, evidence.command_id]))),
      );
      return next && { ...next, running };
    }
    case 'taken_back':
      return held(config, (leaves) => {
        for (const [leaf, by] of Object.entries(leaves)) if (by === evidence.command_id) delete leaves[leaf];
      });
    case 'time': {
      const isLate = config.deadline_at !== null && nowMs > config.deadline_at;
      if (!isLate || !underWay.has(state) || state === 'pending') return undefined;
      return {
        state: 'unreachable',
        detail: `nothing was heard of it after it was ${words[state]}`,
        deadline_at: null,
      };
    }
  }
}

const words: Partial<Record<ConfigState, string>> = { sent: 'sent', on_trial: 'applied', confirmed: 'confirmed' };

function wanted(config: AgentConfig, { kind: _, isAgain = false, ...evidence }: Extract<Evidence, { kind: 'wanted' }>) {
  // Nothing was ever asked of it, and nothing is: what it could not be given is wanted no more.
  if (config.hash === '' && evidence.text === '{}' && !isAgain) return { state: 'in_sync' as const, detail: null };
  const isSame = evidence.hash === config.hash;
  if (isSame && !isAgain && config.state !== 'refused' && config.state !== 'reverted') {
    return evidence.rollout_id === config.rollout_id ? undefined : { rollout_id: evidence.rollout_id };
  }
  const cleared = { deadline_at: null, trial_connection: null, trial_at: null, is_back: false, detail: null };
  const next = { ...evidence, ...cleared, overridden: isAgain ? '{}' : config.overridden };
  const isThere = !isAgain && config.running_hash === evidence.hash;
  return { ...next, ...(isThere ? compared({ ...config, ...next }) : { state: 'pending' as const }) };
}

function result(
  config: AgentConfig,
  evidence: Extract<Evidence, { kind: 'result' }>,
  nowMs: number,
): Partial<AgentConfig> | undefined {
  const { state, config_id } = config;
  const isExpected = state === 'pending' || state === 'sent' || state === 'unreachable';
  if (evidence.config_id !== config_id || !isExpected) return undefined;
  if (evidence.state === 'refused') {
    return { state: 'refused', detail: evidence.reason ?? 'the access point gives no reason', deadline_at: null };
  }
  const said = evidence.settings && canonicalJson(evidence.settings);
  return {
    state: 'on_trial',
    detail: null,
    trial_connection: evidence.connection,
    trial_at: nowMs,
    is_back: false,
    ...(said !== undefined && { running: said }),
  };
}

function running(
  config: AgentConfig,
  { hash, settings, connection, trial: unconfirmed, reverted }: Extract<Evidence, { kind: 'running' }>,
  nowMs: number,
) {
  const { state, config_id } = config;
  const said = { running_hash: hash, running: canonicalJson(settings), running_at: nowMs };
  if (reverted !== undefined && reverted.id === config_id && hash !== config.hash) {
    return { ...said, state: 'reverted' as const, detail: reverted.reason, deadline_at: null, is_back: false };
  }
  if (config.hash === '' || state === 'pending' || state === 'refused') {
    const isThere = config.hash !== '' && hash === config.hash;
    return isThere ? { ...said, ...compared({ ...config, ...said }), deadline_at: null } : said;
  }
  if (hash !== config.hash) {
    if (state === 'sent' || state === 'reverted' || state === 'unreachable') return said;
    const wasOnTrial = state === 'on_trial' || state === 'confirmed';
    const detail = wasOnTrial ? 'it runs its old settings again' : 'it runs other settings than it was given';
    return { ...said, state: wasOnTrial ? ('reverted' as const) : ('drifted' as const), detail, deadline_at: null };
  }
  // Its word that it had applied this may have been lost: to be there is as good.
  if (state === 'sent' || state === 'unreachable' || state === 'reverted') {
    const trial = { state: 'on_trial' as const, trial_at: nowMs, trial_connection: null, is_back: true };
    return { ...said, ...trial, detail: null };
  }
  if (state === 'on_trial') return { ...said, is_back: config.is_back || connection !== config.trial_connection };
  // The confirmation was lost with its connection, and without it the agent goes back: it is not there yet.
  if (unconfirmed === config_id) return { ...said, ...confirmed(nowMs) };
  return { ...said, ...compared({ ...config, ...said }), deadline_at: null };
}

const confirmed = (nowMs: number) => ({ state: 'confirmed' as const, detail: null, deadline_at: nowMs + graceMs });

/** The state of one that runs what it was given, by its leaves. */
function compared(
  config: Pick<AgentConfig, 'text' | 'running' | 'overridden' | 'state'>,
): Pick<AgentConfig, 'state' | 'detail'> {
  const differing = differingLeaves(config);
  const held = JSON.parse(config.overridden) as Record<string, string>;
  const drifted = differing.filter((leaf) => !Object.hasOwn(held, leaf));
  if (drifted.length > 0) {
    // It said so when it applied them, and was confirmed all the same.
    const isSubstituted = config.state === 'confirmed' || config.state === 'substituted';
    return { state: isSubstituted ? 'substituted' : 'drifted', detail: drifted.join(', ') };
  }
  if (differing.length > 0) return { state: 'overridden', detail: differing.join(', ') };
  return { state: 'in_sync', detail: null };
}

/** The leaves that it shall have and runs otherwise; in order. */
export function differingLeaves({ text, running }: Pick<AgentConfig, 'text' | 'running'>): string[] {
  if (text === '' || running === null) return [];
  const runs = leavesOf(JSON.parse(running) as Settings);
  const isDifferent = ([leaf, value]: [string, unknown]) => comparable(runs.get(leaf)) !== comparable(value);
  return [...leavesOf(JSON.parse(text) as Settings)]
    .filter(isDifferent)
    .map(([leaf]) => leaf)
    .sort();
}

/** What it runs, without what it last said of these leaves before a command set them: that is over, and the new value not said yet. */
function saidBefore(
  { text, running, running_at }: AgentConfig,
  { leaves, at }: Extract<Evidence, { kind: 'commanded' }>,
): string | null {
  if (running === null || running_at === null || running_at >= at) return running;
  const differing = differingLeaves({ text, running });
  const isOver = (leaf: string) => leaves.includes(leaf) && !differing.includes(leaf);
  const runs = [...leavesOf(JSON.parse(running) as Settings)];
  return canonicalJson(fromLeaves(runs.filter(([leaf]) => !isOver(leaf))));
}

/** Commands lie over other leaves than before: what differs may be drift no more, or again. */
function held(config: AgentConfig, change: (leaves: Record<string, string>) => void): Partial<AgentConfig> | undefined {
  if (config.hash === '') return undefined;
  const leaves = JSON.parse(config.overridden) as Record<string, string>;
  change(leaves);
  const overridden = JSON.stringify(leaves);
  if (overridden === config.overridden) return undefined;
  const isCompared = config.state === 'in_sync' || config.state === 'drifted' || config.state === 'overridden';
  return { overridden, ...(isCompared && config.running_hash === config.hash && compared({ ...config, overridden })) };
}
