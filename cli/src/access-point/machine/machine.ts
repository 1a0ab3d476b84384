// The machine as the readers see it: the folders of the kernel, and how to run a tool. Tests use
// other folders and recorded output.
import { open } from 'node:fs/promises';
import { followTool } from './followed-tool.ts';
import { runTool } from './tool.ts';

export interface Machine {
  /** Default: /proc. */
  proc: string;
  /** Default: /sys. */
  sys: string;
  /** A folder for sockets that other services can see; undefined: their default. */
  runtimeDir?: string | undefined;
  /** The output of the tool. Throws ToolMissing if there is no such tool, ToolFailure if it fails or is too slow. */
  run(command: string, args: readonly string[]): Promise<string>;
  /**
   * Runs a tool that goes on by itself and tells each line of its output. Resolves when the signal has ended it. Throws
   * ToolMissing, or ToolFailure when it ended by itself.
   */
  follow(command: string, args: readonly string[], onLine: (line: string) => void, signal: AbortSignal): Promise<void>;
}

export const thisMachine: Machine = {
  proc: '/proc',
  sys: '/sys',
  run: async (command, args) => (await runTool(command, args)).output,
  follow: followTool,
};

const maxFileBytes = 64 * 1024;

/** The text of a kernel file, of any size; undefined if it cannot be read. */
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

/** The number in a kernel file; undefined if it contains none. */
export async function readKernelNumber(...path: string[]): Promise<number | undefined> {
  const text = (await readKernelFile(...path))?.trim();
  if (!text) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}
