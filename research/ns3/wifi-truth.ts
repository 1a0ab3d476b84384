// `npm run truth:wifi`: compiles wifi-cells.cc against ns-3 (Debian: libns3-dev, g++), runs all cases with two seeds each and
// writes results.json, which the tests of the emulator read. The output is deterministic. Takes some minutes.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Ns3Case, ns3Cases } from './cases.ts';
import { type Ns3Result, ns3Arguments } from './ns3-results.ts';

const seeds = [1, 2];
const libraries = ['wifi', 'network', 'mobility', 'propagation', 'core'].map((name) => `-lns3-${name}`);

/** Throws if there is no ns-3. */
export function compileNs3(folder: string, name: 'wifi-cells' | 'wifi-thresholds'): string {
  const program = join(folder, name);
  const source = join(import.meta.dirname, `${name}.cc`);
  execFileSync('g++', ['-O2', '-std=c++17', source, '-o', program, ...libraries], { stdio: 'pipe' });
  return program;
}

/** What each MCS needs, in dB. */
export function ns3Thresholds(folder: string): number[] {
  return JSON.parse(execFileSync(compileNs3(folder, 'wifi-thresholds'), { encoding: 'utf8' })) as number[];
}

export async function runNs3(program: string, each: Ns3Case, seed: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)(program, [...ns3Arguments(each), `--seed=${seed}`]);
  return JSON.parse(stdout) as number[];
}

async function runAll(program: string): Promise<Ns3Result[]> {
  const results: Ns3Result[] = [];
  const waiting = [...ns3Cases.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [at, each] = next;
      const bySeed: number[][] = [];
      for (const seed of seeds) bySeed.push(await runNs3(program, each, seed));
      const mbps = bySeed[0]!.map((_, cell) => bySeed.reduce((sum, run) => sum + run[cell]!, 0) / seeds.length);
      const command = ['wifi-cells', ...ns3Arguments(each)].join(' ');
      results[at] = { name: each.name, command, mbps: mbps.map((value) => Math.round(value * 100) / 100), bySeed };
      process.stderr.write(`${each.name}: ${results[at].mbps.join(' ')}\n`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return results;
}

if (import.meta.main) {
  const folder = mkdtempSync(join(tmpdir(), 'weft-ns3-'));
  try {
    const results = await runAll(compileNs3(folder, 'wifi-cells'));
    const neededDb = ns3Thresholds(folder);
    const head = { made_by: 'npm run truth:wifi', ns3: '3.37', seeds };
    const lines = results.map((result) => `    ${JSON.stringify(result)}`).join(',\n');
    const text = `${JSON.stringify({ ...head, neededDb }, null, 2).slice(0, -2)},\n  "results": [\n${lines}\n  ]\n}\n`;
    writeFileSync(join(import.meta.dirname, 'results.json'), text);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
