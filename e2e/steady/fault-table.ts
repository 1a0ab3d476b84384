// The table of faults in docs/scale.md: each round adds its row to what is kept, and the table is made of that.
//   WEFT_FAULT_TABLE=1 npm run test:long -- e2e/steady/faults
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { describeHost } from '../../bench/harness/processes.ts';

const root = join(import.meta.dirname, '../..');
const document = join(root, 'docs/scale.md');
const [start, end] = ['<!-- faults -->', '<!-- /faults -->'];

export interface Row {
  fault: string;
  agents: number;
  refused: number;
  /** Seconds without service, of whoever had to wait longest. */
  posts: number;
  commands: number;
  /** From the acceptance of a command to its being done. */
  deliveries?: number;
  channels: number;
  streams: number;
  acknowledged: { samples: number; commands: number; jobs: number; users: number };
  losses: object;
  /** What the nodes said of themselves. */
  alarmed: string[];
  /** For how long the process of the load itself stood still. */
  stalledSeconds: number;
}

type Kept = { host: ReturnType<typeof describeHost>; rows: (Row & { load: number | null; date: string })[] };

/** Keeps the row in bench/results, in the place of an earlier one of the same fault, and draws the table. */
export function keepRow(row: Row, order: readonly string[]): void {
  if (!process.env.WEFT_FAULT_TABLE) return;
  const host = describeHost();
  const file = join(root, 'bench/results', `faults-${host.arch}.json`);
  const kept: Kept = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { host, rows: [] };
  const [minute = 0] = loadavg();
  const rows = kept.rows.filter(({ fault }) => fault !== row.fault);
  rows.push({ ...row, load: Math.round(minute * 10) / 10, date: String(host.date) });
  rows.sort((a, b) => order.indexOf(a.fault) - order.indexOf(b.fault));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ host, rows }, null, 2)}\n`);
  draw({ host, rows });
}

function draw({ host, rows }: Kept): void {
  const text = readFileSync(document, 'utf8');
  if (!text.includes(start)) return;
  const seconds = (value: number | undefined) => value?.toFixed(1) ?? 'not measured';
  const lines = rows.map((row) => {
    const services = [row.posts, row.commands, row.deliveries, row.channels, row.streams].map(seconds).join(' | ');
    return `| ${row.fault} | ${row.agents} | ${row.refused} | ${services} | ${row.alarmed.join('; ') || 'nothing'} | ${row.load ?? 'not recorded'} |`;
  });
  const sum = (kind: keyof Row['acknowledged']) =>
    rows.reduce((total, { acknowledged }) => total + acknowledged[kind], 0);
  const counts = (['samples', 'commands', 'jobs', 'users'] as const).map((kind) => `${sum(kind)} ${kind}`).join(', ');
  const lost = rows.reduce((total, { losses }) => total + Object.values(losses).reduce((a, b) => a + b, 0), 0);
  const table = [
    `${host.date}, ${host.arch}, ${host.cores} cores (${host.cpu}), ${host.memoryGiB} GiB. Acknowledged in all rounds: ${counts}; lost, twice or expired unseen: ${lost}.`,
    '',
    '| fault | access points | refused | posts, s | commands, s | of which after acceptance, s | channels, s | streams, s | what said so | load |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
  const [head, rest] = text.split(start) as [string, string];
  writeFileSync(document, `${head}${start}\n${table}\n${end}${rest.split(end)[1]}`);
}
