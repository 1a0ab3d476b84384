// Runs a program of this machine: by name and list of arguments, never through a shell, with nothing of our own
// environment, within a time and a size.
import { spawn } from 'node:child_process';

/** There is no program of this name. */
export class ToolMissing extends Error {
  override name = 'ToolMissing';
}

/** It did not do it; the message says why, in one line. */
export class ToolFailure extends Error {
  override name = 'ToolFailure';
}

export interface ToolOptions {
  /** Sent to its standard input, which then ends. */
  input?: string;
  /** 5,000 unless told. */
  timeoutMs?: number;
  /** Of the output; what goes beyond is not kept. 1 MiB unless told. */
  maxBytes?: number;
  /** Ends it early. */
  signal?: AbortSignal | undefined;
}

export interface ToolAnswer {
  output: string;
  /** There was more. */
  isCut: boolean;
}

const maxComplaintBytes = 1024;
const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Throws ToolMissing or ToolFailure. */
export function runTool(command: string, args: readonly string[], options: ToolOptions = {}): Promise<ToolAnswer> {
  const { input = '', timeoutMs = 5_000, maxBytes = 1024 * 1024, signal } = options;
  return new Promise((resolve, reject) => {
    // A group of its own, so that what it has started ends with it.
    const child = spawn(command, args, { detached: true, env: { PATH: path, LC_ALL: 'C' }, cwd: '/' });
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
      // A descendant in another group may hold the pipes open.
      child.stdout.destroy();
      child.stderr.destroy();
    };
    const timer = setTimeout(() => end(`did not end within ${timeoutMs / 1000} s`), timeoutMs);
    const abort = () => end('was ended, because the agent stops');
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
    // In a group of its own it would outlive us.
    process.on('exit', abort);
    const done = () => {
      clearTimeout(timer);
      process.off('exit', abort);
      signal?.removeEventListener('abort', abort);
    };
    child.on('error', (error: NodeJS.ErrnoException) => {
      done();
      const problem = error.code === 'EACCES' ? 'may not be run' : error.message;
      reject(error.code === 'ENOENT' ? new ToolMissing(`there is no ${command}`) : failure(command, problem));
    });
    child.on('close', (code, killedBy) => {
      done();
      if (code === 0 && ending === undefined) return resolve({ output: output.text, isCut: output.isCut });
      const said = complaint.text.trim().split('\n')[0] || output.text.trim().split('\n')[0];
      const how = ending ?? (code === null ? `was ended by ${killedBy}` : `ended with ${code}`);
      reject(failure(command, `${how}${said ? `: ${said}` : ''}`));
    });
    // A program may end without having read what it was given.
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
