// Weft under strace, to see the order of its system calls and to make one of them fail or kill.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { command } from './weft-process.ts';

/** Whether processes can be traced here; says so loudly if not, since tests are skipped then. */
export const canTrace = spawnSync('strace', ['-f', '-o', '/dev/null', '/bin/true']).status === 0;
if (!canTrace) {
  const line = '!'.repeat(100);
  const text = 'strace cannot be used: TESTS OF FLUSHING ARE SKIPPED. Install it (Debian: apt-get install strace).';
  if (process.env.CI === 'true') throw new Error(text);
  process.stderr.write(`\n${line}\n${text}\n${line}\n\n`);
}

/** Starts `weft` under strace, with these options of strace and of node. */
export function traced(options: string[], nodeOptions: string[] = []): string[] {
  return ['strace', '-f', '-qq', ...options, process.execPath, ...nodeOptions, command];
}

/** `fault` happens at that flush of a file: `signal=SIGKILL:when=3`, `error=EIO:when=3+`. */
export function flushFault(file: string, fault: string): string[] {
  return ['-o', '/dev/null', '-P', file, '-e', 'trace=fdatasync,fsync', '-e', `inject=fdatasync,fsync:${fault}`];
}

/**
 * The order of what a trace shows: `append` to the journal, `flush` of it has returned, `answer` to a post. Wants the
 * options of `orderTrace`.
 */
export function callOrder(traceFile: string): string[] {
  const order: string[] = [];
  const unfinished = new Set<string>();
  for (const line of readFileSync(traceFile, 'utf8').split('\n')) {
    const thread = /^(\d+)/.exec(line)?.[1] ?? '';
    const isJournal = line.includes('/journal/');
    if (isJournal && /\b(pwritev|writev|pwrite64|write)\(/.test(line)) order.push('append');
    else if (isJournal && line.includes('fdatasync(')) {
      if (line.includes('<unfinished')) unfinished.add(thread);
      else if (/= 0$/.test(line)) order.push('flush');
    } else if (line.includes('<... fdatasync resumed>') && unfinished.delete(thread)) {
      if (/= 0$/.test(line)) order.push('flush');
    } else if (line.includes('HTTP/1.1 200')) order.push('answer');
  }
  return order;
}

export function orderTrace(traceFile: string): string[] {
  return ['-y', '-s', '32', '-o', traceFile, '-e', 'trace=writev,pwritev,pwrite64,fdatasync,write,sendto'];
}

/**
 * The order of what a trace shows: a `write` to the tables, `flush` of them by Weft has returned (SQLite's own are of
 * another kind), `remove` of a segment of the journal.
 */
export function removalOrder(traceFile: string): string[] {
  const order: string[] = [];
  const unfinished = new Set<string>();
  for (const line of readFileSync(traceFile, 'utf8').split('\n')) {
    const thread = /^(\d+)/.exec(line)?.[1] ?? '';
    if (line.includes('unlink') && line.includes('/journal/')) order.push('remove');
    else if (line.includes('pwrite64(') && line.includes('telemetry.db-wal')) order.push('write');
    else if (line.includes('fdatasync(') && line.includes('telemetry.db-wal')) {
      if (line.includes('<unfinished')) unfinished.add(thread);
      else if (/= 0$/.test(line)) order.push('flush');
    } else if (line.includes('<... fdatasync resumed>') && unfinished.delete(thread)) {
      if (/= 0$/.test(line)) order.push('flush');
    }
  }
  return order;
}

export function removalTrace(traceFile: string): string[] {
  // Architectures differ in which of these calls they have.
  return ['-y', '-s', '1', '-o', traceFile, '-e', 'trace=?unlink,?unlinkat,pwrite64,fdatasync'];
}
