// What Weft counts about itself, in Prometheus' format. Labels come from fixed sets only (operations, statuses): no
// name that a caller chose ever becomes one.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export class ServiceMetrics {
  readonly #registry = new Registry();
  readonly #requests = new Counter({
    name: 'weft_http_requests_total',
    help: 'Answered requests by operation and status',
    labelNames: ['operation', 'status'],
    registers: [this.#registry],
  });
  readonly #duration = new Histogram({
    name: 'weft_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its answer',
    labelNames: ['operation'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [this.#registry],
  });
  /** Looking a label up costs more than counting: each combination is looked up once. */
  readonly #requestsBy = new Map<string, Counter.Internal>();
  readonly #durationBy = new Map<string, Histogram.Internal<'operation'>>();

  constructor(gauges: Record<string, { help: string; value: () => number }>) {
    collectDefaultMetrics({ register: this.#registry });
    for (const [name, { help, value }] of Object.entries(gauges)) {
      new Gauge({
        name,
        help,
        registers: [this.#registry],
        collect() {
          this.set(value());
        },
      });
    }
  }

  observe(operation: string, status: number, elapsedMs: number): void {
    const key = `${operation} ${status}`;
    const requests = this.#requestsBy.get(key) ?? this.#requests.labels(operation, String(status));
    this.#requestsBy.set(key, requests);
    requests.inc();
    const duration = this.#durationBy.get(operation) ?? this.#duration.labels(operation);
    this.#durationBy.set(operation, duration);
    duration.observe(elapsedMs / 1000);
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }
}
