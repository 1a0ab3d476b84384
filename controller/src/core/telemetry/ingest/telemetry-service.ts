// Ingest, behind the parser: makes a report durable, updates the agent's record, and notifies the listeners.
import type { AgentService } from '../../accounts/agents/agent-service.ts';
import type { AgentCaller } from '../../base/caller.ts';
import type { ValidationError } from '../../base/errors.ts';
import { invalidValue } from '../../base/input/value-rules.ts';
import type { WriteOutcomes } from '../../base/storage/write-outcomes.ts';
import { maxNamesPerAgent, type Sample, type TelemetryStore, TooManyNames } from '../store/telemetry-store.ts';
import type { DeviceList } from './device-list.ts';
import { IgnoredFields, toIgnored } from './ignored-fields.ts';
import type { TelemetryReport } from './parse-report.ts';
import type { ReportBudget } from './report-budget.ts';
import { ReportReader } from './report-reader.ts';
import { type PointLimits, ServerTimes } from './sample-time.ts';

const dayMs = 86_400_000;

/** The result of a report. */
export interface Recorded {
  /** Samples that are stored, without those that were merged. */
  accepted: number;
  /** Samples, or lines, that have replaced a field of another one of the same millisecond in the same report. */
  merged: number;
  ignored: IgnoredFields | undefined;
  rounded: TelemetryReport['rounded'];
}

/** For an answer; what is nothing is absent. */
export function toCounts({ accepted, merged, ignored, rounded }: Recorded) {
  return {
    accepted,
    ...(merged > 0 && { merged }),
    ...toIgnored(ignored),
    ...(rounded && { rounded: rounded.fields }),
  };
}

/** Nearly every report. */
const oneSample: Recorded = { accepted: 1, merged: 0, ignored: undefined, rounded: undefined };

export interface TelemetryServiceOptions {
  store: TelemetryStore;
  agents: AgentService;
  retentionDays: number;
  /** The time by which a sample is too old. Default: the clock's. */
  ageClock?: (keptMs: number) => number;
  /** Default: an agent may report any amount. */
  budget?: ReportBudget;
  /** Counts what is stored and refused. */
  writes: WriteOutcomes;
  /** Called once the samples are durable, and also for a report without any. Must not throw. */
  onRecorded: (ap_id: string, samples: readonly Sample[], receivedMs: number) => void;
  /** Takes the devices of a report whose samples are durable; resolves once what changed is durable too. Default: nobody. */
  onDevices?: (ap_id: string, lists: readonly DeviceList[]) => Promise<IgnoredFields | undefined>;
}

export class TelemetryService {
  /** For the parsers. */
  readonly limits: PointLimits;
  /** Reads what `record` takes. */
  readonly reports: ReportReader;
  /** How many fields were left out of reports. */
  ignoredFields = 0;
  readonly #options: TelemetryServiceOptions;

  constructor(options: TelemetryServiceOptions) {
    this.#options = options;
    const { retentionDays, ageClock, budget } = options;
    this.limits = { retentionMs: retentionDays * dayMs, ageClock, serverTimes: new ServerTimes(), budget };
    this.reports = new ReportReader(this.limits);
  }

  /**
   * Resolves how many samples there are, all of which are durable then. Throws ValidationError for one name too many and for
   * a configuration that would become too large: nothing is changed then. An agent that is
   * deleted meanwhile may still get its last samples stored, never half a report. Throws TryLaterError if the samples are
   * durable and its devices could not be written: sent again, the report replaces itself; and if the budget of an emulated
   * network is used up.
   */
  record(agent: AgentCaller, report: TelemetryReport): Promise<Recorded> {
    if (agent.emulated_for !== undefined) {
      const points = report.samples.reduce((sum, { names, texts }) => sum + names.length + texts.length, 0);
      this.#options.budget?.spendOfNetworks(agent.emulated_for, points);
    }
    const { configuration } = report;
    const recorded =
      configuration === undefined ? this.#append(agent, report) : this.#merge(agent, report, configuration);
    return report.devices && this.#options.onDevices ? this.#withDevices(agent, report, recorded) : recorded;
  }

  async #withDevices(agent: AgentCaller, report: TelemetryReport, recorded: Promise<Recorded>): Promise<Recorded> {
    const { ignored, ...rest } = await recorded;
    const left = await this.#options.onDevices!(agent.name, report.devices!);
    if (left) this.ignoredFields += left.count;
    return { ...rest, ignored: left ? (ignored?.with(left) ?? left) : ignored };
  }

  async #merge(agent: AgentCaller, report: TelemetryReport, configuration: Record<string, unknown>): Promise<Recorded> {
    // Looked at before and done afterwards: what refuses the one must not leave the other behind.
    const changes = await this.#options.agents.wouldChangeConfiguration(agent, configuration);
    const recorded = await this.#append(agent, report);
    if (!changes) return recorded;
    if (this.#options.agents.takeOwnChange(agent) === 0) {
      await this.#options.agents.mergeConfiguration(agent, configuration);
      return recorded;
    }
    const left = new IgnoredFields();
    left.add('configuration', 'too_many_changes');
    this.ignoredFields++;
    return { ...recorded, ignored: recorded.ignored?.with(left) ?? left };
  }

  /** One promise and no more: this runs for every post. */
  #append(agent: AgentCaller, report: TelemetryReport): Promise<Recorded> {
    const { samples } = report;
    const stored = samples.length > 0 ? this.#options.store.append(agent.name, samples) : Promise.resolve();
    return stored.then(
      () => {
        this.#options.writes.stored();
        report.onStored?.();
        return this.#stored(agent, report);
      },
      (error) => {
        this.#options.writes.failed(error);
        throw error instanceof TooManyNames ? toValidationError(error, report) : error;
      },
    );
  }

  #stored(agent: AgentCaller, { samples, receivedMs, ignored, rounded, merged = 0 }: TelemetryReport): Recorded {
    this.#options.onRecorded(agent.name, samples, receivedMs);
    if (ignored) this.ignoredFields += ignored.count;
    if (samples.length === 1 && !ignored && !rounded && merged === 0) return oneSample;
    const replacing = countReplacing(samples);
    return { accepted: samples.length - replacing, merged: replacing + merged, ignored, rounded };
  }
}

function toValidationError({ sampleIndex, field }: TooManyNames, { locOf }: TelemetryReport): ValidationError {
  return invalidValue(locOf(sampleIndex, field), `an agent has at most ${maxNamesPerAgent} fields`);
}

/** How many of them replace a field of an earlier one. Most reports are in order. */
function countReplacing(samples: readonly Sample[]): number {
  if (samples.every(({ ts }, index) => index === 0 || ts > samples[index - 1]!.ts)) return 0;
  if (new Set(samples.map(({ ts }) => ts)).size === samples.length) return 0;
  let count = 0;
  for (const [first, ...others] of Map.groupBy(samples, ({ ts }) => ts).values()) {
    const known = new Set(fieldKeys(first!));
    for (const sample of others) {
      const keys = fieldKeys(sample);
      if (keys.some((key) => known.has(key))) count++;
      for (const key of keys) known.add(key);
    }
  }
  return count;
}

function fieldKeys({ names, texts }: Sample): string[] {
  return [...names, ...texts.map(([name]) => `\0${name}`)];
}
