// What a page says, done unchanged: its files are written and its commands run, in order and in one shell, as somebody does who
// has nothing but the text. What a block prints can be compared with the block below it.
import { spawn } from 'node:child_process';
import { type Block, documentedUrl, isShell, stepsOf } from './document-pages.ts';
import { folderOfNode } from './other-node.ts';

const separator = '--- next block ---';
/** Short of the limit of a test, so that the block is named that is stuck. */
const patienceMs = 800_000;
/** An answer that refuses is a mistake of the page, where the page does not show it: curl itself would not mind. */
const preamble = `trap : INT
strict=
curl() {
  local word fail=--fail-with-body
  for word; do case $word in --fail | -f*) fail= ;; esac; done
  command curl \${strict:+$fail} "$@"
}
`;

export interface Surroundings {
  /** Where Weft is. */
  url: string;
  /** Where the commands run. */
  folder: string;
  /** For whoever is asked to log in: a terminal would be asked. */
  password: string;
  env?: Record<string, string>;
  /** Places of the machine, and what stands for them here. */
  places?: Record<string, string>;
}

export interface Done {
  commands: string;
  /** Both without what differs from one run to the next. */
  shown: string;
  prints: string;
}

/** `text` stands for that of the page. */
export async function runPage(page: string, around: Surroundings, text?: string): Promise<Done[]> {
  const steps = stepsOf(page, text);
  const printed = await runShell(page, steps, around);
  return steps.map(({ content, shown }, at) => ({
    commands: content,
    shown: withoutChance(shown),
    prints: withoutChance(printed[at]!.replaceAll(around.url, documentedUrl)),
  }));
}

async function runShell(page: string, steps: Block[], around: Surroundings): Promise<string[]> {
  const { url, folder, password, env, places = {} } = around;
  let script = preamble + steps.map((step) => `${scriptOf(step)}\nprintf '\\n${separator}\\n'\n`).join('');
  for (const [place, here] of Object.entries({ ...places, [documentedUrl]: url })) {
    script = script.replaceAll(place, here);
  }
  script = script.replaceAll(/(\blogin \S+ --user \S+)$/gm, '$1 --password-stdin <<< "$DOCUMENTED_PASSWORD"');
  const shell = spawn('bash', ['-eu', '-o', 'pipefail', '-c', script], {
    cwd: folder,
    env: {
      ...process.env,
      HOME: folder,
      DOCUMENTED_PASSWORD: password,
      ...env,
      PATH: [env?.PATH, folderOfNode, process.env.PATH].filter(Boolean).join(':'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ctrl+C goes to every process of its group.
    detached: true,
  });
  const kill = setTimeout(() => process.kill(-shell.pid!, 'SIGKILL'), patienceMs);
  let said = '';
  let complaints = '';
  const interrupted = new Set<number>();
  shell.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  for await (const chunk of shell.stdout.setEncoding('utf8')) {
    said += chunk;
    const printed = said.split(`\n${separator}\n`);
    const at = printed.length - 1;
    const until = steps[at]?.runUntil;
    if (until === undefined || interrupted.has(at) || !printed[at]!.includes(until)) continue;
    interrupted.add(at);
    process.kill(-shell.pid!, 'SIGINT');
  }
  clearTimeout(kill);
  const printed = said.split(`\n${separator}\n`);
  const failed = steps[printed.length - 1];
  if (!failed) return printed;
  throw new Error(`${page}:${failed.line} failed:\n${failed.content}\n${printed.at(-1)}\n${complaints}`);
}

function scriptOf(step: Block): string {
  const { content, file, shown, runUntil } = step;
  if (!isShell(step)) return `cat > ${file} <<'END OF FILE'\n${content}END OF FILE\n`;
  if (runUntil !== undefined) return `{ ${content}} 2>&1 || test $? -le 130\n`;
  return `strict=${shown === '' ? 'yes' : ''}\n${content}`;
}

function withoutChance(text: string): string {
  return text
    .replaceAll(/eyJ[\w.-]+/g, '<token>')
    .replaceAll(/weft-enrol-[\w.-]+/g, '<enrolment token>')
    .replaceAll(/\b[\da-f]{64}\b/g, '<hash>')
    .replaceAll(/(?<=\bemu-\w+-)[\da-f]{8}(?=-\d)/g, '<run>')
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .trim();
}
