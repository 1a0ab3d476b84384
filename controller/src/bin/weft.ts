#!/usr/bin/env -S node --max-semi-space-size=16 --v8-pool-size=1
// The command `weft`. The only place that reads the arguments and environment of the process; everything else receives
// what it needs as parameters.
import '@weft/contract/closed-prototype';
import { enableCompileCache } from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

// Passwords are hashed in these threads, on all cores but one: flushes of telemetry must never wait for them.
process.env.UV_THREADPOOL_SIZE ??= String(availableParallelism() + 3);

// Sources are hundreds of modules; the build is few files, and what the cache read would stay in memory.
if (import.meta.filename.endsWith('.ts')) {
  // Not in a folder that everybody can write to. If it cannot be written, starts are slower.
  const cache = join(import.meta.dirname, '../../../node_modules/.cache/weft');
  enableCompileCache(cache);
  // For worker threads, each of which would compile its modules again.
  process.env.NODE_COMPILE_CACHE ??= cache;
}
// Imported only now: modules imported before the cache is enabled are compiled at every start.
const { weft } = await import('./commands.ts');
const { runProcess } = await import('@weft/cli');

await runProcess(weft, process);
