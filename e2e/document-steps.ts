// Commands that a document shows, done as they stand there: each block of sh is run, in order and in one shell, and what it
// prints can be held against the block below.
import { spawn } from 'node:child_process';
import { folderOfNode } from './other-node.ts';

/** Where the documents have Weft. */
export const documentedUrl = 'http://127.0.0.1:8000';
const separator = '--- next block ---';

export interface Step {
  commands: string;
  /** Without what differs from one run to the next; empty where the document shows nothing. */
  shown: string;
}

/** A block that names a file, such as ```js app.mjs, is a step that writes it. */
export function stepsIn(text: string): Step[] {
  const blocks = text.matchAll(/```(?:sh|\w+ ([\w./-]+))\n(.*?)```\n(?:\n```(?:json|text)\n(.*?)```\n)?/gs);
  return [...blocks].map(([, file, content = '', shown = '']) => ({
    commands: file === undefined ? content : `cat > ${file} <<'END OF FILE'\n${content}END OF FILE\n`,
    shown: withoutChance(shown),
  }));
}

export interface StepsOptions {
  /** Where Weft is. */
  url: string;
  /** Where the commands run. */
  folder?: string;
  env?: Record<string, string>;
  /** Stands before the first one. */
  before?: string;
  /** Looked into for commands before anything else. */
  path?: string;
}

/** What each step prints, without what differs from one run to the next. */
export async function runSteps(steps: Step[], { url, folder, env, before = '', path }: StepsOptions) {
  const script = steps.map(({ commands }) => `${commands}\nprintf '\\n${separator}\\n'\n`).join('');
  const search = [path, folderOfNode, process.env.PATH].filter(Boolean).join(':');
  const shell = spawn('bash', ['-eu', '-c', before + script.replaceAll(documentedUrl, url)], {
    cwd: folder,
    env: { ...process.env, ...env, PATH: search },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  for await (const chunk of shell.stdout!.setEncoding('utf8')) said += chunk;
  const printed = said.split(`\n${separator}\n`);
  if (printed.length !== steps.length + 1) throw new Error(`not all steps were done:\n${said}`);
  return steps.map(({ commands }, index) => ({
    commands,
    prints: withoutChance((printed[index] ?? '').replaceAll(url, documentedUrl)),
  }));
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
