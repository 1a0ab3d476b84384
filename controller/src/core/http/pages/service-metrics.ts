// What Weft counts about itself, in Prometheus' format. Labels come from fixed sets only (operations, statuses): no
// name that a caller chose ever becomes one.
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

const bucketSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** By name; asked for their values whenever somebody looks. What only grows is a counter, and its name ends in `_total`. */
export type Gauges = Record<string, SingleValue | LabelledValues>;

interface SingleValue {
  help: string;
  value: () => number;
}

/** The labels are from fixed sets. */
interface LabelledValues {
  help: string;
  labels: readonly string[];
  values: () => Promise<{ labels: Record<string, string>; value: number }[]>;
}

/** Counted by hand: the library looks labels up by building strings, which costs more than answering does. */
class OperationCounts {
  readonly byStatus = new Map<number, number>();
  readonly buckets = new Uint32Array(bucketSeconds.length + 1);
  seconds = 0;

  count(status: number, seconds: number): void {
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1);
    this.seconds += seconds;
    let bucket = 0;
    while (bucket < bucketSeconds.length && seconds > bucketSeconds[bucket]!) bucket++;
    this.buckets[bucket]!++;
  }
}

/** A measurement that fails is left out: nothing else depends on it. The first one is told. */
export const measuring = {
  failures: 0,
  onFirst: (_: unknown): void => {},
  attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (measuring.failures++ === 0) measuring.onFirst(error);
    }
  },
};

let ofProcess: Registry | undefined;

/** One for all servers of a process: it watches the event loop and the garbage collector until the process ends. */
function processMetrics(): Registry {
  if (ofProcess) return ofProcess;
  ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess });
  // The library calls these from observers and timers, where an exception would end the process.
  for (const metric of ofProcess.getMetricsAsArray() as unknown as Record<string, (...args: unknown[]) => void>[]) {
    for (const method of ['set', 'inc', 'observe']) {
      const own = metric[method]?.bind(metric);
      if (own) metric[method] = (...args) => measuring.attempt(() => own(...args));
    }
  }
  // Gauges that are named like counters; their sums are easily made of the ones by type.
  for (const what of ['handles', 'requests', 'resources']) ofProcess.removeSingleMetric(`nodejs_active_${what}_total`);
  return ofProcess;
}

export class ServiceMetrics {
  readonly #registry = new Registry();
  readonly #ofProcess = processMetrics();
  readonly #operations = new Map<string, OperationCounts>();

  add(gauges: Gauges): void {
    for (const [name, gauge] of Object.entries(gauges)) {
      if ('labels' in gauge) this.#addLabelled(name, gauge);
      else if (name.endsWith('_total')) this.#addCounter(name, gauge);
      else this.#addGauge(name, gauge);
    }
  }

  #addGauge(name: string, { help, value }: SingleValue): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect() {
        measuring.attempt(() => this.set(value()));
      },
    });
  }

  #addCounter(name: string, { help, value }: SingleValue): void {
    new Counter({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.reset();
        measuring.attempt(() => this.inc(value()));
      },
    });
  }

  #addLabelled(name: string, { help, labels: labelNames, values }: LabelledValues): void {
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [this.#registry],
      async collect() {
        // What cannot be counted now does not take the rest with it.
        const found = await values().catch(() => []);
        this.reset();
        for (const { labels, value } of found) measuring.attempt(() => this.set(labels, value));
      },
    });
  }

  observe(operation: string, status: number, elapsedMs: number): void {
    let counts = this.#operations.get(operation);
    if (!counts) {
      counts = new OperationCounts();
      this.#operations.set(operation, counts);
    }
    counts.count(status, elapsedMs / 1000);
  }

  async text(): Promise<string> {
    return `${await this.#ofProcess.metrics()}\n${await this.#registry.metrics()}\n${this.#requestsText()}`;
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  #requestsText(): string {
    const requests = [
      '# HELP weft_http_requests_total Answered requests by operation and status',
      '# TYPE weft_http_requests_total counter',
    ];
    const name = 'weft_http_request_duration_seconds';
    const durations = [
      `# HELP ${name} Time from the first byte of a request to the end of its answer`,
      `# TYPE ${name} histogram`,
    ];
    for (const [operation, { byStatus, buckets, seconds }] of this.#operations) {
      for (const [status, count] of byStatus) {
        requests.push(`weft_http_requests_total{operation="${operation}",status="${status}"} ${count}`);
      }
      let below = 0;
      for (const [index, count] of buckets.entries()) {
        below += count;
        durations.push(`${name}_bucket{operation="${operation}",le="${bucketSeconds[index] ?? '+Inf'}"} ${below}`);
      }
      durations.push(
        `${name}_sum{operation="${operation}"} ${seconds}`,
        `${name}_count{operation="${operation}"} ${below}`,
      );
    }
    return `${[...requests, ...durations].join('\n')}\n`;
  }
}
