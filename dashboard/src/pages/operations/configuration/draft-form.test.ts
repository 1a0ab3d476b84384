import { describe, expect, test } from 'vitest';
import { toFailure } from '../../../api/client.ts';
import { emptyPlan, layerValues, toDraft, toDraftValues, toPlan } from './draft-form.ts';
import { toVariableValue } from './values.tsx';

function problemOf(work: () => unknown): [field: string, words: string] | undefined {
  try {
    work();
  } catch (error) {
    const [problem] = toFailure(error).problems;
    return [String(problem?.loc[1]), problem?.msg ?? ''];
  }
  return undefined;
}

const layer = { id: 'a', name: 'Hall', selector: 'tag:hall', weight: -5, settings: { channel: 36 }, optional: true };

describe('a change set as a form', () => {
  test('is read back as it was written', () => {
    const set = { title: 'x', layers: [layer, { ...layer, id: 'b' }], remove: ['c'] };
    expect(toDraft(toDraftValues(set))).toEqual(set);
    const { id: _, ...fresh } = layer;
    expect(toDraft(toDraftValues({ ...set, base: { a: 0, b: 2 } })).layers).toEqual([fresh, set.layers[1]]);
  });

  test.each([
    ['{"channel": 36', /^This is not valid JSON at (line 1, column \d+|its end)\. Check/],
    ['{\n "a": 1,\n}', /at line 3, column 1/],
    ['[1]', /^Write an object/],
  ])('says what is wrong with the settings %s', (settings, words) => {
    const [field, told] = problemOf(() => toDraft({ title: 'x', ...layerValues(0), 'layers.0.settings': settings }))!;
    expect(field).toBe('layers.0.settings');
    expect(told).toMatch(words);
  });

  test('says that it needs a layer, and a weight a whole number', () => {
    expect(problemOf(() => toDraft({ title: 'x' }))?.[0]).toBe('title');
    expect(problemOf(() => toDraft({ ...layerValues(0), 'layers.0.weight': '1.5' }))?.[0]).toBe('layers.0.weight');
  });
});

describe('the plan of a roll-out as a form', () => {
  test('has waves, a gate, a limit, and what has no field as JSON', () => {
    const values = { ...emptyPlan, waves: 'tag:canary\n 10 % \n100%', metric: 'retries_pct', worse_by: '−5' };
    expect(toPlan({ ...values, rest: '{"gates": [{"alarms": 0}], "trial_seconds": 60}' })).toEqual({
      waves: [{ select: 'tag:canary' }, { percent: 10 }, { percent: 100 }],
      gates: [{ metric: 'retries_pct', worse_by: -5, over_seconds: 120 }, { alarms: 0 }],
      failure_limit: { agents: 0 },
      trial_seconds: 60,
    });
    expect(toPlan({ ...emptyPlan, rest: '' }).gates).toEqual([]);
  });

  test.each([
    ['waves', { waves: '10 %' }],
    ['waves', { waves: 'canary\n100 %' }],
    ['worse_by', { metric: 'x' }],
    ['failures', { failures: 'many' }],
    ['rest', { rest: '{' }],
  ])('says at %s what is wrong with %j', (field, wrong) => {
    expect(problemOf(() => toPlan({ ...emptyPlan, ...wrong }))?.[0]).toBe(field);
  });
});

test('a variable is a number or yes and no where it reads as one, and text in quotes is text', () => {
  expect(['36', '"36"', 'true', 'Hall', '{"a":1}', ''].map(toVariableValue)).toEqual([
    36,
    '36',
    true,
    'Hall',
    '{"a":1}',
    null,
  ]);
});
