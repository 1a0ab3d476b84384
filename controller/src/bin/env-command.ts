// `weft env`: worlds to learn in, over standard input and output. `weft env judge`: how good policies are at a task.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { CommandFailure, type CommandLine, exitCode, type Surroundings, toInterfaceJson, UsageError } from '@weft/cli';
import {
  type Act,
  baselineNames,
  baselineOf,
  EnvironmentError,
  type Episode,
  judge,
  play,
  preferSpeed,
  seedsFor,
  serveFrames,
  type Task,
  tableOf,
  taskNames,
  taskOf,
  type Verdict,
} from '@weft/emulator/env';

export async function envCommand(line: CommandLine, around: Surroundings): Promise<number> {
  const [action, ...policies] = line.words;
  preferSpeed();
  if (action === undefined) {
    if (around.stdin.isTTY) throw new UsageError('weft env reads frames: start it from a program (docs/learning.md).');
    await serveFrames(around.stdin as AsyncIterable<Buffer>, around.stdout);
    return exitCode.ok;
  }
  try {
    const task = taskOf(line.get('task') ?? taskNames[0]);
    const episodes = line.get('seeds');
    const seeds = seedsFor(episodes === undefined ? undefined : Number(episodes));
    const verdicts: Verdict[] = [];
    for (const policy of policies) verdicts.push(judge(task, policy, await episodesOf(task, policy, seeds, around)));
    around.stdout.write(line.has('json') ? `${toInterfaceJson(verdicts)}\n` : tableOf(verdicts));
    return exitCode.ok;
  } catch (error) {
    if (error instanceof EnvironmentError) throw new UsageError(`${error.message}.`);
    throw error;
  }
}

async function episodesOf(task: Task, policy: string, seeds: number[], around: Surroundings): Promise<Episode[]> {
  if (baselineNames.includes(policy)) return play(task, seeds, () => baselineOf(policy));
  if (!existsSync(policy)) {
    throw new UsageError(`A policy is a file or one of ${baselineNames.join(', ')}: there is no ${policy}.`);
  }
  if (extname(policy) === '.py') return playInPython(task, policy, seeds, around);
  const { act } = (await import(pathToFileURL(resolve(policy)).href)) as { act?: Act };
  if (typeof act !== 'function') throw new UsageError(`${policy} must export a function act(observation, mask).`);
  return play(task, seeds, () => act);
}

/** The program of the policy plays with this same command, and prints the sums of each episode. */
async function playInPython(
  { name }: Task,
  policy: string,
  seeds: number[],
  { env, stderr }: Surroundings,
): Promise<Episode[]> {
  const path = [pythonFolder(), env.PYTHONPATH].filter((each) => each !== undefined && each !== '').join(':');
  const own = { PYTHONPATH: path, WEFT_COMMAND: JSON.stringify([process.execPath, process.argv[1]]) };
  const child = spawn('python3', ['-m', 'weft_gym.judge', policy, name, seeds.join(',')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env, ...own },
  });
  child.stderr.on('data', (piece: Buffer) => stderr.write(piece));
  const ended = new Promise<number | null>((done, fail) => {
    child.on('error', () => fail(new CommandFailure('A policy in Python needs python3 with numpy.')));
    child.on('close', done);
  });
  const [printed, code] = await Promise.all([text(child.stdout), ended]);
  if (code !== 0) throw new CommandFailure(`${policy} came to no end: see above.`);
  return JSON.parse(printed) as Episode[];
}

/** Of a checkout; elsewhere the package is installed. */
function pythonFolder(): string | undefined {
  for (let at = import.meta.dirname; at !== dirname(at); at = dirname(at)) {
    if (existsSync(join(at, 'python', 'weft_gym'))) return join(at, 'python');
  }
  return undefined;
}
