// What the readers know of the machine they run on: where the kernel shows itself, and how a tool is asked. Tests put
// other folders and recorded answers in their place.
import { open } from 'node:fs/promises';
import { runTool } from './tool.ts';

export interface Machine {
  /** Usually /proc. */
  proc: string;
  /** Usually /sys. */
  sys: string;
  /** Where sockets may be made that other services of the machine can see; a folder of theirs unless told. */
  runtimeDir?: string | undefined;
  /** What the tool prints. Throws ToolMissing if there is none of this name, ToolFailure if it does not do it in time. */
  run(command: string, args: readonly string[]): Promise<string>;
}

export const thisMachine: Machine = {
  proc: '/proc',
  sys: '/sys',
  run: async (command, args) => (await runTool(command, args)).output,
};

const maxFileBytes = 64 * 1024;

/** The text of a file of the kernel, which may be of any size it likes; undefined if it cannot be read. */
export async function readKernelFile(...path: string[]): Promise<string | undefined> {
  try {
    const file = await open(path.join('/'));
    try {
      const buffer = Buffer.alloc(maxFileBytes);
      let size = 0;
      for (;;) {
        const { bytesRead } = await file.read(buffer, size, maxFileBytes - size);
        size += bytesRead;
        if (bytesRead === 0 || size === maxFileBytes) break;
      }
      return buffer.toString('utf8', 0, size);
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

/** The number that a file of the kernel holds; undefined if it holds none. */
export async function readKernelNumber(...path: string[]): Promise<number | undefined> {
  const text = (await readKernelFile(...path))?.trim();
  if (!text) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}
