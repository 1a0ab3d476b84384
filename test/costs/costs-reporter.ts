// Where the time of a run went, as a table of all files in node_modules/.cache/weft-test-costs/report.txt and as one line at the end.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { costsFolder, type FileCosts, linesFolder, treeSeconds } from './file-costs.ts';

const root = join(import.meta.dirname, '..', '..');

export default class CostsReporter implements Reporter {
  #vitest: Vitest | undefined;
  readonly #startedMs = performance.now();
  readonly #busyBefore = machineSeconds();

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  /** It is a daemon, and so not below this process. */
  #sharedPostgres(): number {
    const url = this.#vitest?.projects[0]?.getProvidedContext().postgresUrl;
    const pid = url === undefined ? undefined : findListener(new URL(url).port);
    return pid === undefined ? 0 : treeSeconds(pid);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = readCosts();
    if (files.length === 0) return;
    const projects = new Map(modules.map((module) => [module.moduleId, module.project.name]));
    const kindOf = ({ file }: FileCosts) =>
      projects.get(file) === 'pure' ? 'pure' : relative(root, file).startsWith('e2e') ? 'e2e' : 'contract';
    const rows = files.map((costs) => ({ ...costs, project: kindOf(costs) }));
    const totals = ['pure', 'contract', 'e2e'].map((project) => {
      const own = rows.filter((row) => row.project === project);
      return { ...total(own), project, file: `${own.length} files` };
    });
    const all = { ...total(rows), project: 'all', file: `${rows.length} files` };
    const table = [...rows.toSorted((a, b) => b.own + b.children - a.own - a.children), ...totals, all].map(line);
    const path = join(costsFolder, 'report.txt');
    const parts = `${seconds(all.own + all.children)} in files, ${seconds(this.#sharedPostgres())} in the shared PostgreSQL`;
    const busy = machineSeconds() - this.#busyBefore;
    const available = (availableParallelism() * (performance.now() - this.#startedMs)) / 1000;
    const machine = `the machine was busy for ${seconds(busy)} of ${seconds(available)}`;
    const sum = `Processor time in seconds: ${seconds(treeSeconds(process.pid))} in all processes below the run, ${parts}; ${machine}`;
    writeFileSync(path, `${head}\n${table.join('\n')}\n${sum}\n`);
    process.stdout.write(`${sum}; by file in ${relative(root, path)}\n`);
  }
}

/** Of all processors together, since it started: also what a process took that ended before anybody looked. */
function machineSeconds(): number {
  const [, user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8').split(/\s+/, 9).map(Number);
  return (user! + nice! + system! + irq! + softirq!) / 100;
}

function findListener(port: string): number | undefined {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).find((pid) => {
    try {
      const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return args[args.indexOf('-p') + 1] === port;
    } catch {
      return false;
    }
  });
}

const head = 'cpu s  own  children  importing  waiting  project   file and what it started';

function line({ project, file, own, children, importing, elapsed, counts }: FileCosts & { project: string }): string {
  const waiting = Math.max(0, elapsed - own - children);
  const numbers = [own + children, own, children, importing, waiting].map((each) => seconds(each).padStart(7));
  const started = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  return [...numbers, project.padStart(9), ` ${relative(root, file)}`, started.join(', ')].join(' ').trimEnd();
}

function seconds(value: number): string {
  return value.toFixed(1);
}

function readCosts(): FileCosts[] {
  try {
    const folder = linesFolder();
    const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'));
    rmSync(folder, { recursive: true });
    return lines.map((text) => JSON.parse(text));
  } catch {
    return [];
  }
}

function total(rows: FileCosts[]): FileCosts {
  const sum: FileCosts = { file: '', own: 0, children: 0, importing: 0, elapsed: 0, counts: {} };
  for (const { own, children, importing, elapsed, counts } of rows) {
    sum.own += own;
    sum.children += children;
    sum.importing += importing;
    sum.elapsed += elapsed;
    for (const [what, count] of Object.entries(counts)) sum.counts[what] = (sum.counts[what] ?? 0) + count;
  }
  return sum;
}
