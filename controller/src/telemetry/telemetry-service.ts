// The way in, behind the gate: makes a report durable, updates the agent's record, and tells those who wait for news.
import type { AgentService } from '../agents/agent-service.ts';
import type { AgentCaller } from '../caller.ts';
import { ValidationError } from '../errors.ts';
import { type PointLimits, ServerTimes } from './sample-time.ts';
import type { TelemetryReport } from './telemetry-point.ts';
import { FieldConflict, maxNamesPerAgent, type Sample, type TelemetryStore } from './telemetry-store.ts';

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
  /** For the gate. */
  readonly limits: PointLimits;
  readonly #store: TelemetryStore;
  readonly #agents: AgentService;
  readonly #onRecorded: TelemetryServiceOptions['onRecorded'];

  constructor({ store, agents, retentionDays, onRecorded }: TelemetryServiceOptions) {
    this.limits = { retentionMs: retentionDays * dayMs, serverTimes: new ServerTimes() };
    this.#store = store;
    this.#agents = agents;
    this.#onRecorded = onRecorded;
  }

  /**
   * Resolves the number of samples, all of which are durable then. Throws ValidationError for a field that does not go
   * with what the agent reported before, or a configuration that would become too large: nothing is changed then. An
   * agent that is deleted meanwhile may still get its last samples stored, never half a report.
   */
  async record(agent: AgentCaller, report: TelemetryReport): Promise<number> {
    const { samples, configuration, receivedMs } = report;
    // Looked at before and done afterwards: what refuses the one must not leave the other behind.
    const changes = configuration !== undefined && (await this.#agents.wouldChangeConfiguration(agent, configuration));
    if (samples.length > 0) await this.#append(agent.name, report);
    this.#onRecorded(agent.name, samples, receivedMs);
    if (changes) await this.#agents.mergeConfiguration(agent, configuration);
    return samples.length;
  }

  async #append(ap_id: string, { samples, locOf }: TelemetryReport): Promise<void> {
    try {
      await this.#store.append(ap_id, samples);
    } catch (error) {
      if (!(error instanceof FieldConflict)) throw error;
      const reason = conflicts[error.reason];
      throw new ValidationError([
        {
          loc: locOf(error.sampleIndex, error.field),
          msg: `Value error, ${reason}`,
          type: 'value_error',
          ctx: { error: reason },
        },
      ]);
    }
  }
}
