// Runs a program of this machine that goes on until somebody ends it, and reads its output line by line. It ends with the
// agent, however the agent ends.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { ToolFailure, ToolMissing, toolEnvironment } from './tool.ts';

/**
 * The program with the arguments after the script, until its standard input ends: a killed agent cannot end its children,
 * but its pipes close. Names and arguments are words of their own here, never parts of the script.
 */
const guardian =
  'exec 3<&0; "$@" </dev/null & child=$!; { read -r end <&3; kill "$child"; } >/dev/null 2>&1 & wait "$child"';
const notFound = 127;
const maxLineLength = 4096;
const maxComplaintLength = 300;

/** Resolves when the signal has ended it. Throws ToolMissing, or ToolFailure when it ended by itself. */
export function followTool(
  command: string,
  args: readonly string[],
  onLine: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return resolve();
    const child = spawn('/bin/sh', ['-c', guardian, 'sh', command, ...args], {
      detached: true,
      env: toolEnvironment,
      cwd: '/',
    });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(0, maxComplaintLength);
    });
    child.stdin.on('error', () => {});
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.length <= maxLineLength) onLine(line);
    });
    const end = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // All of the group has ended.
      }
    };
    signal.addEventListener('abort', end);
    process.on('exit', end);
    const done = () => {
      signal.removeEventListener('abort', end);
      process.off('exit', end);
    };
    // What waits for the end of its input would hold the pipes.
    child.on('exit', end);
    child.on('error', (error) => {
      done();
      reject(new ToolFailure(`${command} cannot be run: ${error.message}`));
    });
    child.on('close', (code) => {
      done();
      if (signal.aborted) return resolve();
      if (code === notFound) return reject(new ToolMissing(`there is no ${command}`));
      const said = complaint.trim().split('\n')[0];
      reject(new ToolFailure(`${command} ended with exit code ${code}${said ? `: ${said}` : ''}`));
    });
  });
}
