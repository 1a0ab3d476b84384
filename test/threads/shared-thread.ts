// Before each test file: the stores of telemetry of all servers in this process have one thread, in which each has a copy of its module.
// To start a thread of its own is a third of the work of starting a server; processes of `weft` do that. Models of emulated networks
// have threads of their own, with the usual priority; they are read from what was built for this run, which takes a third of the time.
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import threads, { MessageChannel, type MessagePort, type Transferable, type WorkerOptions } from 'node:worker_threads';
import { builtThreads } from '../compile-cache.ts';

const builtin = createRequire(import.meta.url)('node:worker_threads') as typeof threads;
const engine = /\/engine-thread\.ts$/;
const model = /\/((run|what-if|coverage|rerun)-thread)\.ts$/;
export const usualPriority = ['--import', new URL('./usual-priority.mjs', import.meta.url).href];

/** What the store sees of its thread. */
class Tenant {
  static host: InstanceType<typeof threads.Worker> | undefined;
  readonly #port: MessagePort;

  constructor(module: URL, { workerData }: WorkerOptions) {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    if (Tenant.host === undefined) {
      Tenant.host = new builtin.Worker(new URL('./engine-host.ts', import.meta.url));
      // It ends with the process; whoever waits for an answer keeps that alive.
      Tenant.host.unref();
    }
    Tenant.host.postMessage({ module: module.href, workerData, port: port2 }, [port2]);
  }

  on(event: 'message' | 'error' | 'exit', listener: (what: never) => void): void {
    if (event === 'exit') this.#port.on('close', listener as () => void);
    else
      this.#port.on('message', (message: { thrown?: Error }) => {
        const isError = message.thrown instanceof Error;
        if (isError === (event === 'error')) listener((isError ? message.thrown : message) as never);
      });
  }

  once(event: 'exit', listener: (what: never) => void): void {
    this.on(event, listener);
  }

  removeAllListeners(event: 'exit'): void {
    this.#port.removeAllListeners(event === 'exit' ? 'close' : event);
  }

  postMessage(message: unknown, transferred: Transferable[] = []): void {
    this.#port.postMessage(message, transferred);
  }
}

const marked = builtin.Worker as typeof threads.Worker & { isShared?: true };
if (!marked.isShared) {
  const Own = builtin.Worker;
  const Shared = function (this: unknown, module: string | URL, options: WorkerOptions = {}) {
    const { pathname } = new URL(module, import.meta.url);
    if (engine.test(pathname)) return new Tenant(module as URL, options);
    const [, name, what] = model.exec(pathname) ?? [];
    const folder = builtThreads();
    const read = name !== undefined && folder !== undefined ? pathToFileURL(join(folder, `${name}.js`)) : module;
    return new Own(read, what === 'run' ? { ...options, execArgv: usualPriority } : options);
  };
  Shared.prototype = Own.prototype;
  Object.defineProperty(builtin, 'Worker', { value: Object.assign(Shared, { isShared: true }), configurable: true });
  syncBuiltinESMExports();
}
