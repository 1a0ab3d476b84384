#!/usr/bin/env -S node --max-semi-space-size=16
// The command `weft`. The only place that looks at the process's arguments and environment; everything below is given
// what it needs.
import { enableCompileCache } from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

// Passwords are hashed in these threads, on all cores but one: telemetry must never wait behind them to be flushed.
process.env.UV_THREADPOOL_SIZE ??= String(availableParallelism() + 3);

// Among the packages and not in a folder that everybody may write to. Where it cannot be kept, starts are slower.
const cache = join(import.meta.dirname, '../../../node_modules/.cache/weft');
enableCompileCache(cache);
// For the threads, each of which would compile its modules anew.
process.env.NODE_COMPILE_CACHE ??= cache;
// Only now: what was imported before would be compiled anew each time.
const { runCommand } = await import('./commands.ts');
const { endProcess, onInterruption, watchOutputs } = await import('@weft/cli');

watchOutputs();
const code = await runCommand(process.argv.slice(2), {
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  interruption: onInterruption,
});
// Said outright, so that nothing left open by a start that failed keeps the process alive.
await endProcess(code);
