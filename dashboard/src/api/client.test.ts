// What the dashboard keeps of an answer that says no.
import { WeftRefusal, WeftUnreachable } from '@weft/sdk/browser';
import { expect, it } from 'vitest';
import { failureOf, problemWords, toFailure } from './client.ts';

const answer = (status: number, headers: Record<string, string> = {}) => new Response(null, { status, headers });

it('a command that lost knows against whom', () => {
  const rival = {
    command_id: '5e0a',
    caller_kind: 'third_party_app',
    caller_name: 'energy-saver',
    ap_id: 'ap-03',
    parameter: 'power_state',
    until: '2026-03-01T10:44:00.000Z',
  };
  const body = { detail: 'Held', code: 'command_conflict', verdict: 'rejected', reason: 'held_by_other', rival };
  const failure = failureOf(answer(409, { 'retry-after': '12' }), JSON.stringify(body));
  expect(failure.conflict).toEqual({ reason: 'held_by_other', rival });
  expect([failure.code, failure.message, failure.retryAfterSeconds]).toEqual(['command_conflict', 'Held', 12]);
});

it('a command may lose against nobody', () => {
  const body = { detail: 'Frozen', code: 'command_conflict', verdict: 'rejected', reason: 'frozen', rival: null };
  expect(failureOf(answer(409), JSON.stringify(body)).conflict).toEqual({ reason: 'frozen', rival: null });
});

it('when to try again is told in minutes where it is long', () => {
  const steps = ['1', '59', '900'].map((after) => failureOf(answer(429, { 'retry-after': after }), '{}').nextStep);
  expect(steps).toEqual(['1', '59', '15'].map((count, at) => `Try again in ${count}\u2009${at === 2 ? 'min' : 's'}.`));
});

it('what somebody pressed is not said to be repeated while Weft is away; what a page asks for is', () => {
  for (const failure of [toFailure(new WeftUnreachable('away')), failureOf(answer(503), '{}')]) {
    expect(failure.nextStep).toContain('press the button again when Weft is back');
    failure.isOfQuery = true;
    expect(failure.nextStep).toContain('retries automatically');
  }
});

it('other refusals have no rival, and answers of something in between get words', () => {
  const exists = JSON.stringify({ detail: 'There is one already', code: 'agent_exists' });
  expect(failureOf(answer(409), exists).conflict).toBeUndefined();
  expect(failureOf(answer(502), '').message).toBe('The server answered with status 502.');
});

it('a body that is refused names its problems, and an internal error where to look', () => {
  const problem = { type: 'missing', loc: ['body', 'username'], msg: 'Field required' };
  const refused = failureOf(answer(422), JSON.stringify({ detail: [problem] }));
  expect([refused.code, refused.message, refused.problems]).toEqual([
    'http_422',
    'username: This is required',
    [problem],
  ]);
  const body = { detail: 'Something went wrong', code: 'internal_error', request_id: 'r-1' };
  expect(failureOf(answer(500), JSON.stringify(body)).requestId).toBe('r-1');
});

it('what the SDK throws becomes a failure, and a mistake of our own keeps its words', () => {
  const away = toFailure(new WeftUnreachable('no route'));
  expect([away.status, away.code]).toEqual([0, 'unreachable']);
  expect(toFailure(new WeftRefusal(403, 'forbidden', 'Not yours'))).toMatchObject({
    status: 403,
    message: 'Not yours',
  });
  expect(toFailure(new TypeError('x is not a function')).code).toBe('dashboard_error');
});

it('what is wrong with a value is said for people, and in the server’s words where nothing better is known', () => {
  const words = (type: string, msg: string, ctx?: Record<string, unknown>) =>
    problemWords({ loc: ['body', 'x'], type, msg, ...(ctx && { ctx }) });
  expect(words('missing', 'Field required')).toBe('This is required');
  expect(words('string_too_short', 'String should have at least 8 characters', { min_length: 8 })).toBe(
    'Use at least 8 characters',
  );
  expect(words('less_than_equal', 'Input should be less than or equal to 20', { le: 20 })).toBe('Enter 20 or less');
  expect(
    words('string_pattern_mismatch', "String should match pattern '^[A-Z]$'", { pattern: '^[A-Z]$' }),
  ).not.toContain('^');
  expect(words('value_error', 'Value error, the place is not known', { error: 'x' })).toBe('The place is not known');
  expect(words('toString', 'Odd')).toBe('Odd');
});
