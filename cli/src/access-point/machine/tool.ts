// Runs a program of this machine: by name and list of arguments, never through a shell, without the agent's
// environment, with limits on time and output.
import { spawn } from 'node:child_process';

/** There is no such program. */
export class ToolMissing extends Error {
  override name = 'ToolMissing';
}

/** The program failed; the message is one line. */
export class ToolFailure extends Error {
  override name = 'ToolFailure';
}

export interface ToolOptions {
  /** Sent to its standard input, which then ends. */
  input?: string;
  /** Default: 5,000. */
  timeoutMs?: number;
  /** Limit of the output; the rest is dropped. Default: 1 MiB. */
  maxBytes?: number;
  /** Ends it early. */
  signal?: AbortSignal | undefined;
}

export interface ToolAnswer {
  output: string;
  /** The output was longer. */
  isCut: boolean;
}

const maxComplaintBytes = 1024;
/** What every program gets of the agent's environment. */
export const toolEnvironment = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };

/** Throws ToolMissing or ToolFailure. */
export function runTool(command: string, args: readonly string[], options: ToolOptions = {}): Promise<ToolAnswer> {
  const { input = '', timeoutMs = 5_000, maxBytes = 1024 * 1024, signal } = options;
  return new Promise((resolve, reject) => {
    // A separate process group, so that its children end with it.
    const child = spawn(command, args, { detached: true, env: toolEnvironment, cwd: '/' });
    const output = new Kept(maxBytes);
    const complaint = new Kept(maxComplaintBytes);
    child.stdout.on('data', (piece: Buffer) => output.add(piece));
    child.stderr.on('data', (piece: Buffer) => complaint.add(piece));
    let ending: string | undefined;
    const end = (why: string) => {
      ending ??= why;
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has just ended.
      }
      // A descendant in another group may keep the pipes open.
      child.stdout.destroy();
      child.stderr.destroy();
    };
    const timer = setTimeout(() => end(`did not end within ${timeoutMs / 1000} s`), timeoutMs);
    const abort = () => end('was stopped, because the agent stops');
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
    // In its separate group it would survive the agent.
    process.on('exit', abort);
    const done = () => {
      clearTimeout(timer);
      process.off('exit', abort);
      signal?.removeEventListener('abort', abort);
    };
    child.on('error', (error: NodeJS.ErrnoException) => {
      done();
      const problem = error.code === 'EACCES' ? 'is not executable' : error.message;
      reject(error.code === 'ENOENT' ? new ToolMissing(`there is no ${command}`) : failure(command, problem));
    });
    child.on('close', (code, killedBy) => {
      done();
      if (code === 0 && ending === undefined) return resolve({ output: output.text, isCut: output.isCut });
      const said = complaint.text.trim().split('\n')[0] || output.text.trim().split('\n')[0];
      const how = ending ?? (code === null ? `was killed by ${killedBy}` : `failed with exit code ${code}`);
      reject(failure(command, `${how}${said ? `: ${said}` : ''}`));
    });
    // A program may end without reading its input.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

function failure(command: string, problem: string): ToolFailure {
  return new ToolFailure(`${command} ${problem}`.slice(0, 500));
}

class Kept {
  readonly #pieces: Buffer[] = [];
  readonly #max: number;
  #size = 0;
  isCut = false;

  constructor(max: number) {
    this.#max = max;
  }

  add(piece: Buffer): void {
    const room = this.#max - this.#size;
    if (piece.length > room) this.isCut = true;
    if (room <= 0) return;
    this.#pieces.push(piece.subarray(0, room));
    this.#size += Math.min(room, piece.length);
  }

  get text(): string {
    return Buffer.concat(this.#pieces).toString();
  }
}
