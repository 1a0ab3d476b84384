// Nothing but evidence moves the state of an access point, in whatever order it comes.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rounds } from '../../../../../test/rounds.ts';
import { type AgentConfig, advance, type Evidence, graceMs, newAgentConfig } from './agent-config.ts';
import { canonicalJson, hashOf, type Settings } from './settings.ts';

const start = newAgentConfig({ agent_id: 'id', ap_id: 'ap-1' });

function wanted(config_id: string, settings: Settings, more: object = {}): Evidence {
  const text = canonicalJson(settings);
  return {
    kind: 'wanted',
    text,
    hash: hashOf(text),
    sources: '{}',
    rollout_id: null,
    config_id,
    is_due: true,
    trial_seconds: 120,
    ...more,
  };
}
const hash = (settings: Settings) => hashOf(canonicalJson(settings));
const running = (settings: Settings, connection: string, more: object = {}): Evidence => ({
  kind: 'running',
  hash: hash(settings),
  settings,
  connection,
  ...more,
});

function after(...evidence: Evidence[]): AgentConfig {
  return evidence.reduce((config, each, at) => advance(config, each, at), start);
}

const next = { channel: 100 };
const given = [wanted('a', next), { kind: 'sent', config_id: 'a' }] as const;
const applied: Evidence = { kind: 'result', config_id: 'a', state: 'applied', connection: 'one' };

test('the good way, step by step', () => {
  const steps: Evidence[] = [
    ...given,
    applied,
    running(next, 'two'),
    { kind: 'passed', config_id: 'a' },
    running(next, 'two'),
  ];
  const states = steps.map((_, at) => after(...steps.slice(0, at + 1)).state);
  expect(states).toEqual(['pending', 'sent', 'on_trial', 'on_trial', 'confirmed', 'in_sync']);
});

test('a confirmation that was lost is said again, and until it has come nothing is in sync', () => {
  const passed = after(...given, applied, running(next, 'two', { trial: 'a' }), { kind: 'passed', config_id: 'a' });
  const again = advance(passed, running(next, 'three', { trial: 'a' }), 10);
  expect(again).toMatchObject({ state: 'confirmed', deadline_at: 10 + graceMs });
  const settled = advance(again, running(next, 'three'), 11);
  expect(settled.state).toBe('in_sync');
  expect(advance(settled, running(next, 'four', { trial: 'a' }), 12).state).toBe('confirmed');
  expect(advance(settled, running(next, 'four', { trial: 'another' }), 12).state).toBe('in_sync');
});

test('the proof must come over another connection', () => {
  const same = after(...given, applied, running(next, 'one'));
  expect(same).toMatchObject({ state: 'on_trial', is_back: false });
  expect(advance(same, { kind: 'passed', config_id: 'a' }, 9)).toBe(same);
  expect(after(...given, applied, running(next, 'two'))).toMatchObject({ is_back: true });
});

test('what it runs without its word that it has applied it counts, what was sent does not', () => {
  expect(after(...given, running(next, 'two'))).toMatchObject({ state: 'on_trial', is_back: true });
  expect(after(...given, running({ channel: 36 }, 'two')).state).toBe('sent');
});

test('refused, reverted, late: with the reason', () => {
  expect(
    after(...given, { kind: 'result', config_id: 'a', state: 'refused', reason: 'radar', connection: 'one' }),
  ).toMatchObject({ state: 'refused', detail: 'radar' });
  const old = { channel: 36 };
  expect(
    after(...given, applied, running(old, 'two', { reverted: { id: 'a', reason: 'no confirmation' } })),
  ).toMatchObject({ state: 'reverted', detail: 'no confirmation' });
  expect(after(...given, applied, running(old, 'two'))).toMatchObject({ state: 'reverted' });
  const late = advance(after(...given), { kind: 'time' }, 10 + 120_000 + graceMs);
  expect(late).toMatchObject({ state: 'unreachable' });
  expect(advance(late, running(next, 'two'), 999_999)).toMatchObject({ state: 'on_trial', is_back: true });
});

test('a command lies over it: no drift, until it is applied again', () => {
  const settled = [
    ...given,
    applied,
    running(next, 'two'),
    { kind: 'passed', config_id: 'a' },
    running(next, 'two'),
  ] as Evidence[];
  const other = { hash: hash(next) };
  const drifted = after(...settled, running({ channel: 36 }, 'two', other));
  expect(drifted).toMatchObject({ state: 'drifted', detail: 'channel' });
  const held = after(
    ...settled,
    { kind: 'commanded', leaves: ['channel'], command_id: 'c1', at: 0 },
    running({ channel: 36 }, 'two', other),
  );
  expect(held).toMatchObject({ state: 'overridden', detail: 'channel' });
  expect(advance(held, wanted('b', next, { isAgain: true }), 99)).toMatchObject({ state: 'pending', overridden: '{}' });
});

test('over any order of frames, losses and repetitions: confirmed and in sync only where it was proved', () => {
  const versions: Settings[] = [{ channel: 36 }, { channel: 40 }, { channel: 100, power: 3 }];
  const which = fc.nat(2);
  const id = fc.constantFrom('a', 'b', 'c');
  const evidence: fc.Arbitrary<Evidence> = fc.oneof(
    fc.tuple(id, which).map(([config_id, at]) => wanted(config_id, versions[at]!)),
    id.map((config_id) => ({ kind: 'sent' as const, config_id })),
    fc
      .tuple(
        id,
        fc.constantFrom('applied' as const, 'refused' as const, 'substituted' as const),
        fc.constantFrom('one', 'two'),
      )
      .map(([config_id, state, connection]) => ({ kind: 'result' as const, config_id, state, connection })),
    fc.tuple(which, fc.constantFrom('one', 'two')).map(([at, connection]) => running(versions[at]!, connection)),
    id.map((config_id) => ({ kind: 'passed' as const, config_id })),
    fc.constant({ kind: 'time' as const }),
  );
  fc.assert(
    fc.property(fc.array(evidence, { maxLength: 40 }), (list) => {
      let config = start;
      let isPassed = false;
      for (const [at, each] of list.entries()) {
        const before = config;
        config = advance(config, each, at * 60_000);
        if (config === before) continue;
        if (each.kind === 'wanted' && config.config_id !== before.config_id) isPassed = false;
        if (each.kind === 'passed') {
          // Only who is back over another connection, with the settings of this very delivery, passes.
          expect(before).toMatchObject({
            state: 'on_trial',
            is_back: true,
            config_id: each.config_id,
            running_hash: before.hash,
          });
          isPassed = true;
        }
        if (config.state === 'confirmed') expect(isPassed).toBe(true);
        if (config.state === 'in_sync' && config.hash !== '') {
          expect(config.running_hash).toBe(config.hash);
          expect(each.kind === 'running' || each.kind === 'wanted').toBe(true);
        }
        if (config.state === 'sent' && before.state !== 'sent') expect(each.kind).toBe('sent');
        if (config.state === 'on_trial' && before.state !== 'on_trial')
          expect(['result', 'running']).toContain(each.kind);
      }
    }),
    { numRuns: rounds(2000) },
  );
});
