// A run is repeated by the seed that it prints: all of it, a file of it, a test of it.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const config = join(root, 'test', 'repeat', 'vitest.config.ts');
const failing = 'test/repeat/first.fixture.ts';

function run(seed: string | undefined, ...args: string[]) {
  const { WEFT_TEST_SEED: _ours, WEFT_TEST_LONG: _long, WEFT_TEST_EVERY_PAGE: _every, ...env } = process.env;
  const { stdout, stderr } = spawnSync(process.execPath, [vitest, 'run', '--config', config, '--no-color', ...args], {
    cwd: root,
    env: { ...env, ...(seed !== undefined && { WEFT_TEST_SEED: seed }) },
    encoding: 'utf8',
  });
  const said = stdout.split('\n').filter((line) => line !== '');
  return {
    said,
    drawn: said.filter((line) => line.startsWith('drawn by ')).sort(),
    counterexample: /\{ seed: .*\n+Counterexample: .*/.exec(stderr)?.[0],
    command: said.at(-1)!.split(': ').at(-1)!,
  };
}

let whole: ReturnType<typeof run>;
let seed: string;
beforeAll(() => {
  whole = run(undefined);
  seed = /^WEFT_TEST_SEED=(\d+)/.exec(whole.command)?.[1] ?? '';
});

test('prints its seed first and last, and what repeats the files that failed', () => {
  const first = whole.said.findIndex((line) => line.startsWith('Seed '));
  expect(whole.said[first]).toBe(`Seed ${seed}; with the same draws again: WEFT_TEST_SEED=${seed} npm test`);
  expect(first, whole.said[0]).toBeLessThan(2);
  expect(whole.command).toBe(`WEFT_TEST_SEED=${seed} npm test -- ${failing}`);
});

test('a property that failed fails by the seed of the run with the same counterexample, alone and among others', () => {
  expect(whole.counterexample).toBeDefined();
  expect(run(seed, failing, '-t', 'fails').counterexample).toBe(whole.counterexample);
  expect(run(seed).counterexample).toBe(whole.counterexample);
});

test('a file alone draws the same as among others', () => {
  const alone = run(seed, 'test/repeat/second.fixture.ts').drawn;
  expect(alone).toHaveLength(1);
  expect(whole.drawn).toEqual(expect.arrayContaining(alone));
});

test('a test alone draws the same as among others', () => {
  const alone = run(seed, failing, '-t', 'draws others').drawn.filter((line) => line.includes('another test'));
  expect(alone).toHaveLength(1);
  expect(whole.drawn).toEqual(expect.arrayContaining(alone));
});

test('every draw has values of its own, and others with another seed', () => {
  const values = (drawn: string[]) => drawn.flatMap((line) => line.match(/-?\d{4,}|"\w{8}"/g) ?? []);
  expect(new Set(values(whole.drawn)).size).toBe(values(whole.drawn).length);
  const others = new Set(values(run(`${seed}1`).drawn));
  expect(others.size).toBe(values(whole.drawn).length);
  expect(values(whole.drawn).filter((value) => others.has(value))).toEqual([]);
});
