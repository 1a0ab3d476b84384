// The blocks of the documents, and which pages the suite runs on which Weft. Every block of shell commands of these pages is
// run, unless a comment right before it says why not:
//   <!-- not run: it needs systemd -->
//   <!-- run until it prints: access points -->      then Ctrl+C
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
/** Where the documents have Weft. */
export const documentedUrl = 'http://127.0.0.1:8000';

/** The first steps. */
export const firstPage = 'docs/tour.md';
/** Each of them continues it, on the same Weft and with the same names, in any order. */
export const tourPages = [
  'docs/accounts.md',
  'docs/agents.md',
  'docs/alarms.md',
  'docs/command-line.md',
  'docs/emulator.md',
  'docs/events-and-webhooks.md',
  'docs/fleet.md',
  'docs/health.md',
  'docs/incidents.md',
  'docs/operations.md',
  'docs/runbooks.md',
];
/** On two servers of PostgreSQL, by postgresql-page.long.test.ts. */
export const serverPages = ['docs/postgresql.md'];
/** With `weft demo`, in this order. */
export const demoPages = [
  'docs/tutorial.md',
  'docs/sdk.md',
  'examples/energy-saver/README.md',
  'examples/load-balancer/README.md',
  'examples/steering/README.md',
];

export interface Block {
  page: string;
  /** Where it begins. */
  line: number;
  language: string;
  /** Of a block that is a file, such as ```js app.mjs. */
  file: string | undefined;
  content: string;
  /** The block of JSON or text right below; empty if there is none. */
  shown: string;
  notRun: string | undefined;
  runUntil: string | undefined;
}

/** Everything that people read, without what is history. */
export function documents(): string[] {
  return globSync(['*.md', '{docs,docs/adr,examples,examples/*,dashboard,timeseries}/*.md'], { cwd: root })
    .filter((path) => path !== 'CHANGELOG.md')
    .sort();
}

export function readPage(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

export function blocksIn(page: string, text = readPage(page)): Block[] {
  const found = [...text.matchAll(/^( *)```([^\s`]*)(?: ([\w./-]+))?\n(.*?)^\1```$/gms)];
  return found.map((match, at) => {
    const [whole, indent = '', language = '', file, content = ''] = match;
    const before = text.slice(0, match.index);
    const next = found[at + 1];
    const isShown = next?.[2] !== undefined && ['json', 'text'].includes(next[2]) && isRightBelow(text, match, next);
    const mark = (word: string) => new RegExp(`<!-- ${word}: ([^>]+) -->\\s*$`).exec(before)?.[1];
    return {
      page,
      line: before.split('\n').length,
      language,
      file,
      content: whole === '' ? '' : content.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      shown: isShown ? next[4]! : '',
      notRun: mark('not run'),
      runUntil: mark('run until it prints'),
    };
  });
}

function isRightBelow(text: string, block: RegExpExecArray, next: RegExpExecArray): boolean {
  return text.slice(block.index + block[0].length, next.index).trim() === '';
}

/** Commands, whatever the block is called: one that shows commands and is not called sh would not be run. */
export function isShell({ language, content }: Block): boolean {
  if (['sh', 'bash', 'shell', 'console', 'zsh'].includes(language)) return true;
  return (
    ['', 'text'].includes(language) &&
    /^(\$ |[A-Z_]+=\S* .*\b)?(npm|npx|node|curl|weft|sudo|git|systemctl) /m.test(content)
  );
}

/** What a reader does: writes the files and runs the commands. */
export function stepsOf(page: string, text?: string): Block[] {
  return blocksIn(page, text).filter(
    (block) => block.notRun === undefined && (isShell(block) || block.file !== undefined),
  );
}
