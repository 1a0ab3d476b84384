// What access points shall be, for people: settings leaf by leaf, what differs, states, and what can be done with a roll-out.
import './configuration.css';
import { isObject } from '@weft/contract/is-object';
import type { ConfigState, Rollout, RolloutState } from '../../../api/client.ts';
import { readSelector } from '../../../components/forms/selector-input.tsx';
import { unitOf } from '../../../format.ts';
import type { configurationText } from '../../../text/pages.ts';

/** Objects are gone through, but for those that name a secret. */
export function leavesOf(settings: Record<string, unknown>, before = ''): [leaf: string, value: unknown][] {
  return Object.entries(settings).flatMap(([key, value]): [string, unknown][] =>
    isObject(value) && typeof value.secret !== 'string'
      ? leavesOf(value, `${before}${key}.`)
      : [[`${before}${key}`, value]],
  );
}

/** Exactly, with the unit that the name of the leaf ends in. */
export function valueWords(leaf: string, value: unknown): string {
  if (value === null || value === undefined) return 'not set';
  if (typeof value === 'number') return `${String(value).replace('-', '−')}\u2009${unitOf(leaf)}`.trim();
  if (isObject(value) && typeof value.secret === 'string') return `secret ${value.secret}`;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** In words; unchanged where it cannot be read. */
export function selectorWords(selector: string): string {
  const words = readSelector(selector).words ?? selector;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export type RolloutAction = keyof typeof configurationText.rollout.actions;
const possible: Record<RolloutAction, readonly RolloutState[]> = {
  pause: ['running'],
  resume: ['paused', 'stopped'],
  revert: ['running', 'paused', 'stopped', 'completed'],
  abort: ['running', 'paused', 'stopped', 'reverting'],
};

/** What can be done with it now, by whoever may. */
export function rolloutActions({ state, may_change }: Pick<Rollout, 'state' | 'may_change'>): RolloutAction[] {
  const all = Object.keys(possible) as RolloutAction[];
  return may_change ? all.filter((action) => possible[action].includes(state)) : [];
}

type State = ConfigState | RolloutState | keyof typeof configurationText.changes.states;
/** What somebody has to look at is first. */
const looks: Record<string, readonly State[]> = {
  bad: ['refused', 'reverted', 'unreachable', 'stopped'],
  late: ['substituted', 'overridden', 'drifted', 'paused', 'outdated'],
  busy: ['sent', 'on_trial', 'running', 'reverting', 'draft'],
  idle: ['pending', 'aborted'],
  good: ['in_sync', 'confirmed', 'completed', 'rolled_out'],
};

export function rankOf(state: State): number {
  return Object.values(looks).findIndex((states) => states.includes(state));
}

/** Of a change set, a roll-out, or an access point; the words say as much as the colour. */
export function StateMark({ state, words }: { state: State; words: string }) {
  return (
    <span class={`config-state ${Object.keys(looks)[rankOf(state)]}`}>
      <i aria-hidden="true" />
      {words}
    </span>
  );
}

export function SettingsList({ settings }: { settings: Record<string, unknown> }) {
  return (
    <ul class="config-settings">
      {leavesOf(settings).map(([leaf, value]) => (
        <li key={leaf}>
          <code>{leaf}</code> <b>{valueWords(leaf, value)}</b>
        </li>
      ))}
    </ul>
  );
}
