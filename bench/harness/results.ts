// Keeps the figures of a run: on the terminal for a person, in results/ for later comparison.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeHost } from './processes.ts';

export interface Figure {
  question: string;
  value: string;
  /** What it is held against, in the same run. */
  against?: string;
  /** What the project asks of it, and whether it holds. */
  goal?: string;
  ok?: boolean;
}

export function keep(name: string, figures: Figure[]): void {
  const host = describeHost();
  const folder = join(import.meta.dirname, '../results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}-${host.arch}.json`), `${JSON.stringify({ host, figures }, null, 2)}\n`);
  const lines = figures.map(({ question, value, against = '', goal = '', ok }) => {
    return `| ${question} | ${value} | ${against} | ${goal}${ok === undefined ? '' : ok ? ' ✓' : ' ✗'} |`;
  });
  process.stdout.write(
    `\n${name}: ${host.date}, ${host.cores} cores ${host.cpu}, ${host.memoryGiB} GiB, Node ${host.node}\n\n| question | measured | against | goal |\n|---|---|---|---|\n${lines.join('\n')}\n`,
  );
}
