// `weft env` as programs meet it: the package for Python against the real process, and policies of all kinds judged.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildCache } from '../../../test/compile-cache.ts';
import { gymnasiumFolder } from '../../../test/gymnasium.ts';

const root = resolve(import.meta.dirname, '../../..');
const weft = join(import.meta.dirname, '../../dist/weft.js');
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-env-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(program: string, args: string[], input?: Buffer, python = join(root, 'python')) {
  const own = { WEFT_COMMAND: JSON.stringify([process.execPath, weft]), PYTHONPATH: python };
  const child = spawn(program, args, {
    env: { ...process.env, ...buildCache(), ...own, PYTHONDONTWRITEBYTECODE: '1' },
  });
  child.stdin.end(input);
  const code = new Promise<number | null>((done) => child.on('close', done));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { out, err, code: await code };
}

const judge = (...args: string[]) => run(process.execPath, [weft, 'env', 'judge', ...args]);

function file(name: string, content: string): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

test('the package for Python passes its tests', async () => {
  const { code, err } = await run('python3', ['-m', 'unittest', '-q', join(root, 'python', 'test_weft_gym.py')]);
  expect(err).toMatch(/\nOK( \(skipped=2\))?\n$/);
  expect(code).toBe(0);
});

const gymnasium = gymnasiumFolder();
test.skipIf(gymnasium === undefined)(
  "the package for Python passes Gymnasium's own check of environments",
  async () => {
    const tests = ['InGymnasium', 'OneWorld'].map((name) => `test_weft_gym.${name}`);
    const python = [join(root, 'python'), gymnasium].join(':');
    const { code, err } = await run('python3', ['-W', 'ignore', '-m', 'unittest', '-q', ...tests], undefined, python);
    expect(err).toMatch(/\nOK\n$/);
    expect(code).toBe(0);
  },
);

describe('weft env judge', () => {
  test('a policy has the same row in Python and in TypeScript as one that is built in', async () => {
    const idle = [
      file('idle.py', 'def act(observation, mask):\n    return [0] * len(observation["access_points"])\n'),
      file(
        'idle.ts',
        'export const act = ({ access_points }: { access_points: string[] }) => access_points.map(() => 0);',
      ),
    ];
    const { out, code } = await judge('nothing', ...idle, '--task', 'weft/channels-v1', '--seeds', '1', '--json');
    const [own, ...others] = JSON.parse(out);
    expect(own).toMatchObject({ policy: 'nothing', task: 'weft/channels-v1', episodes: 1 });
    expect(others).toEqual(idle.map((policy) => ({ ...own, policy })));
    expect(code).toBe(0);
  });

  test('a policy that fails says why', async () => {
    const broken = file('broken.py', 'def act(observation, mask):\n    return [99] * len(mask)\n');
    const { err, code } = await judge(broken, '--seeds', '1');
    expect(err).toContain('must be 0 to 2');
    expect(err).toContain('came to no end');
    expect(code).toBe(1);
  });
});

test('bytes that are no frames are answered, and the process ends with its input', async () => {
  const { out, code } = await run(process.execPath, [weft, 'env'], Buffer.from([0, 0, 0, 0, 255, 255]));
  expect(out).toContain('"code":"invalid_frame"');
  expect(out).toContain('ends in the middle of a frame');
  expect(code).toBe(0);
});
