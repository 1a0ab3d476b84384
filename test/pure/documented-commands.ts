// The commands that documents show, in blocks of sh and in the text, and what is wrong with them: a reader has Node 20, npm
// and what `npm install` brings.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface DocumentedCommand {
  document: string;
  /** One command, without what stands before and after it in a pipeline. */
  command: string;
}

const documents = [
  ...['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md'],
  '{docs,docs/adr,examples,examples/*,dashboard,timeseries}/*.md',
];
/** Variables in front of a command, such as WEFT_PORT=9000. */
const variables = /^(?:[A-Z_]+=\S*\s+)+/;
const ofInterest = /^(?:npm|npx|node) /;

export function documentedCommands(root: string): DocumentedCommand[] {
  return globSync(documents, { cwd: root })
    .filter((path) => !path.includes('node_modules'))
    .sort()
    .flatMap((document) => {
      const text = readFileSync(join(root, document), 'utf8');
      return commandsIn(text).map((command) => ({ document, command }));
    });
}

export function commandsIn(text: string): string[] {
  const blocks = [...text.matchAll(/```(?:sh)?\n(.*?)```/gs)].flatMap(([, block = '']) =>
    block.replaceAll('\\\n', ' ').split('\n'),
  );
  const inline = [...text.replaceAll(/```.*?```/gs, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  return [...blocks, ...inline]
    .flatMap((line) => line.split(/\s*(?:&&|\|\|?|;|\$\(|\s{3,})\s*/))
    .map((part) => part.replace(/ #.*$/, '').trim().replace(variables, ''))
    .filter((part) => ofInterest.test(part));
}

export interface Known {
  root: string;
  npmScripts: readonly string[];
  weftCommands: readonly string[];
}

/** Why a reader cannot run it; undefined if nothing is wrong with it. */
export function problemOf(command: string, { root, npmScripts, weftCommands }: Known): string | undefined {
  const [tool, first = '', second = '', third = ''] = command.split(/\s+/);
  if (tool === 'npm') {
    const script = first === 'run' ? second : ['start', 'test'].includes(first) ? first : undefined;
    return script === undefined || npmScripts.includes(script) ? undefined : `there is no script ${script}`;
  }
  if (tool === 'npx' && first === 'weft') {
    if (second !== '' && !second.startsWith('-') && !weftCommands.includes(second))
      return `there is no command weft ${second}`;
    return second === 'run' && !existsSync(join(root, third)) ? `there is no file ${third}` : undefined;
  }
  if (tool === 'node' && first.endsWith('.ts')) return `Node 20 cannot run TypeScript: npx weft run ${first}`;
  if (tool === 'node' && first.includes('/') && !first.startsWith('$') && !existsSync(join(root, first))) {
    return `there is no file ${first}`;
  }
  return undefined;
}
