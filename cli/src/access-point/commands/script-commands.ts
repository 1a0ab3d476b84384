// Commands that the operator has written: programs in a folder that receive their arguments as JSON on standard input. A file
// NAME.json may declare the arguments of NAME, so that Weft validates them.
import { constants, type Stats } from 'node:fs';
import { access, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isObject } from '@weft/contract/is-object';
import { runTool } from '../machine/tool.ts';
import type { CommandOffer } from './command-offer.ts';

const maxOutputBytes = 4096;
const stickyBit = 0o1000;
const defaultTimeoutMs = 60_000;

export interface ScriptOptions {
  folder: string;
  names: ReadonlySet<string>;
  /** Ends running programs. */
  signal: AbortSignal;
  say: (text: string) => void;
  timeoutMs?: number;
}

/** Logs programs that cannot be offered. */
export async function offerScripts(options: ScriptOptions): Promise<CommandOffer[]> {
  const offers = await Promise.all(
    [...options.names].map(async (name) => {
      try {
        return [await offerScript(name, options)];
      } catch (error) {
        options.say(`run:${name} is not offered: ${(error as Error).message}`);
        return [];
      }
    }),
  );
  return offers.flat();
}

async function offerScript(name: string, { folder, signal, timeoutMs }: ScriptOptions): Promise<CommandOffer> {
  const path = join(folder, name);
  await requireTrustworthy(path);
  const declared = await readDeclaration(`${path}.json`);
  return {
    declaration: { name, parameter: declared.parameter ?? name, ...(declared.params && { params: declared.params }) },
    async run(args) {
      // Again at every call: who may change it may have changed since.
      await requireTrustworthy(path);
      const { output, isCut } = await runTool(path, [], {
        input: `${JSON.stringify(args)}\n`,
        timeoutMs: timeoutMs ?? defaultTimeoutMs,
        maxBytes: maxOutputBytes,
        signal,
      });
      return { result: { output, ...(isCut && { is_cut: true }) } };
    },
  };
}

/** A program that others can replace must not run with the agent's privileges. */
async function requireTrustworthy(path: string): Promise<void> {
  const target = await realpath(path).catch(() => {
    throw new Error(`${path} does not exist`);
  });
  const file = await stat(target);
  if (!file.isFile()) throw new Error(`${path} is not a file`);
  requireOurs(path, file);
  // Where a link lies as well as where it leads: whoever may change a folder may put another file there.
  for (const folder of new Set([...foldersAbove(path), ...foldersAbove(target)])) {
    const found = await stat(folder);
    // In a sticky folder (/tmp) others can add files, and not replace those of the owner.
    if ((found.mode & stickyBit) === 0 || !isOwned(found)) requireOurs(folder, found);
  }
  await access(path, constants.X_OK).catch(() => {
    throw new Error(`${path} is not executable: chmod +x`);
  });
}

function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...foldersAbove(folder)];
}

/** By root or by the account of the agent. */
function isOwned({ uid }: Stats): boolean {
  return uid === 0 || uid === process.getuid?.();
}

function requireOurs(path: string, found: Stats): void {
  if (!isOwned(found) || (found.mode & 0o022) !== 0) {
    throw new Error(`${path} can be changed by others: chmod go-w, chown root`);
  }
}

async function readDeclaration(path: string): Promise<{ parameter?: string; params?: Record<string, unknown> }> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch {
    return {};
  }
  try {
    const { parameter, params } = JSON.parse(text);
    return { ...(typeof parameter === 'string' && { parameter }), ...(isObject(params) && { params }) };
  } catch {
    throw new Error(`${path} is not valid JSON`);
  }
}
