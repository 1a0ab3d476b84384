// Ingest, behind the parser: makes a report durable, updates the agent's record, and notifies the listeners.
import type { AgentService } from '../../agents/agent-service.ts';
import type { AgentCaller } from '../../caller.ts';
import type { ValidationError } from '../../errors.ts';
import { invalidValue } from '../../input/value-rules.ts';
import { FieldConflict, maxNamesPerAgent, type Sample, type TelemetryStore } from '../store/telemetry-store.ts';
import type { TelemetryReport } from './parse-report.ts';
import { ReportReader } from './report-reader.ts';
import { type PointLimits, ServerTimes } from './sample-time.ts';

const dayMs = 86_400_000;

const conflicts: Record<FieldConflict['reason'], string> = {
  text_for_metric: 'this is a metric, and a metric is a number',
  metric_for_text: 'this is a text field, and numbers do not belong there',
  too_many_names: `an agent has at most ${maxNamesPerAgent} fields`,
};

export interface TelemetryServiceOptions {
  store: TelemetryStore;
  agents: AgentService;
  retentionDays: number;
  /** Called once the samples are durable, and also for a report without any. Must not throw. */
  onRecorded: (ap_id: string, samples: readonly Sample[], receivedMs: number) => void;
}

export class TelemetryService {
  /** For the parsers. */
  readonly limits: PointLimits;
  /** Reads what `record` takes. */
  readonly reports: ReportReader;
  readonly #store: TelemetryStore;
  readonly #agents: AgentService;
  readonly #onRecorded: TelemetryServiceOptions['onRecorded'];

  constructor({ store, agents, retentionDays, onRecorded }: TelemetryServiceOptions) {
    this.limits = { retentionMs: retentionDays * dayMs, serverTimes: new ServerTimes() };
    this.reports = new ReportReader(this.limits);
    this.#store = store;
    this.#agents = agents;
    this.#onRecorded = onRecorded;
  }

  /**
   * Resolves the number of samples, all of which are durable then. Throws ValidationError for a field that does not go
   * with what the agent reported before, or a configuration that would become too large: nothing is changed then. An
   * agent that is deleted meanwhile may still get its last samples stored, never half a report.
   */
  record(agent: AgentCaller, report: TelemetryReport): Promise<number> {
    const { configuration } = report;
    return configuration === undefined ? this.#append(agent, report) : this.#merge(agent, report, configuration);
  }

  async #merge(agent: AgentCaller, report: TelemetryReport, configuration: Record<string, unknown>): Promise<number> {
    // Looked at before and done afterwards: what refuses the one must not leave the other behind.
    const changes = await this.#agents.wouldChangeConfiguration(agent, configuration);
    const accepted = await this.#append(agent, report);
    if (changes) await this.#agents.mergeConfiguration(agent, configuration);
    return accepted;
  }

  /** One promise and no more: this runs for every post. */
  #append(agent: AgentCaller, report: TelemetryReport): Promise<number> {
    const { samples, receivedMs } = report;
    const stored = samples.length > 0 ? this.#store.append(agent.name, samples) : Promise.resolve();
    return stored.then(
      () => {
        this.#onRecorded(agent.name, samples, receivedMs);
        report.onStored?.();
        return samples.length;
      },
      (error) => {
        throw error instanceof FieldConflict ? toValidationError(error, report) : error;
      },
    );
  }
}

function toValidationError({ sampleIndex, field, reason }: FieldConflict, { locOf }: TelemetryReport): ValidationError {
  return invalidValue(locOf(sampleIndex, field), conflicts[reason]);
}
