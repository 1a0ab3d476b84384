// Ingest, behind the parser: makes a report durable, updates the agent's record, and notifies the listeners.
import type { AgentService } from '../../agents/agent-service.ts';
import type { AgentCaller } from '../../caller.ts';
import type { ValidationError } from '../../errors.ts';
import { invalidValue } from '../../input/value-rules.ts';
import type { WriteOutcomes } from '../../storage/write-outcomes.ts';
import {
  FieldConflict,
  type FieldInfo,
  maxNamesPerAgent,
  type Sample,
  type TelemetryStore,
} from '../store/telemetry-store.ts';
import type { DeviceList } from './device-list.ts';
import { IgnoredFields } from './ignored-fields.ts';
import type { TelemetryReport } from './parse-report.ts';
import type { ReportBudget } from './report-budget.ts';
import { ReportReader } from './report-reader.ts';
import { countFields } from './sample-fields.ts';
import { type PointLimits, ServerTimes } from './sample-time.ts';

const dayMs = 86_400_000;

const conflicts: Record<FieldConflict['reason'], string> = {
  text_for_metric: 'this is a metric, and a metric is a number',
  metric_for_text: 'this is a text field, and numbers do not belong there',
  too_many_names: `an agent has at most ${maxNamesPerAgent} fields`,
};
/** How often a report is stored without what conflicts, while others of the agent make new names. */
const maxConflicts = 8;

/** The result of a report. */
export interface Recorded {
  /** Samples that are stored. */
  accepted: number;
  ignored: IgnoredFields | undefined;
}

/** Nearly every report. */
const oneSample: Recorded = { accepted: 1, ignored: undefined };

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
   * Resolves how many samples there are, all of which are durable then. A field that conflicts with what the agent reported
   * before is left out and named, if the report can name it. Throws ValidationError for such a field of any other report, for
   * one name too many and for a configuration that would become too large: nothing is changed then. An agent that is
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
    const { accepted, ignored } = await recorded;
    const left = await this.#options.onDevices!(agent.name, report.devices!);
    if (left) this.ignoredFields += left.count;
    return { accepted, ignored: left ? (ignored?.with(left) ?? left) : ignored };
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

  #append(agent: AgentCaller, report: TelemetryReport): Promise<Recorded> {
    const isPlain = !report.canIgnore || !hasEmptyText(report.samples);
    return isPlain ? this.#appendAll(agent, report) : this.#appendTexts(agent, report);
  }

  async #appendTexts(agent: AgentCaller, report: TelemetryReport): Promise<Recorded> {
    const { samples, places, ignored } = withoutEmptyTexts(
      report.samples,
      await this.#options.store.fields(agent.name, 0),
    );
    if (!ignored) return this.#appendAll(agent, report);
    // Not remembered by its shape, which would have the empty texts.
    const { onStored: _, ...rest } = report;
    const locOf: TelemetryReport['locOf'] = (index, field) => report.locOf(places[index]!, field);
    return this.#appendAll(agent, { ...rest, samples, locOf, ignored: report.ignored?.with(ignored) ?? ignored });
  }

  /** One promise and no more: this runs for every post. */
  #appendAll(agent: AgentCaller, report: TelemetryReport): Promise<Recorded> {
    const { samples } = report;
    const stored = samples.length > 0 ? this.#options.store.append(agent.name, samples) : Promise.resolve();
    return stored.then(
      () => {
        this.#options.writes.stored();
        report.onStored?.();
        return this.#stored(agent, report, samples, report.ignored);
      },
      (error) => {
        this.#options.writes.failed(error);
        if (!(error instanceof FieldConflict)) throw error;
        return this.#withoutConflicts(agent, report, error);
      },
    );
  }

  /** Stores what does not conflict. */
  async #withoutConflicts(agent: AgentCaller, report: TelemetryReport, first: FieldConflict): Promise<Recorded> {
    let conflict = first;
    const left = new ConflictFilter(report.samples);
    for (let round = 0; round < maxConflicts; round++) {
      if (!report.canIgnore || conflict.reason === 'too_many_names') break;
      left.knows(await this.#options.store.fields(agent.name, 0));
      left.knows([{ name: conflict.field, kind: conflict.reason === 'metric_for_text' ? 'text' : 'metric' }]);
      const { samples, ignored } = left.apply();
      try {
        if (samples.length > 0) await this.#options.store.append(agent.name, samples);
        return this.#stored(agent, report, samples, report.ignored?.with(ignored) ?? ignored);
      } catch (error) {
        if (!(error instanceof FieldConflict)) throw error;
        conflict = error;
      }
    }
    throw toValidationError(conflict, report);
  }

  #stored(
    agent: AgentCaller,
    { receivedMs }: TelemetryReport,
    samples: readonly Sample[],
    ignored: IgnoredFields | undefined,
  ): Recorded {
    this.#options.onRecorded(agent.name, samples, receivedMs);
    if (ignored) this.ignoredFields += ignored.count;
    return samples.length === 1 && !ignored ? oneSample : { accepted: samples.length, ignored };
  }
}

function toValidationError({ field, reason }: FieldConflict, { samples, locOf }: TelemetryReport): ValidationError {
  const index = samples.findIndex(
    ({ names, texts }) =>
      (reason !== 'text_for_metric' && names.includes(field)) ||
      (reason !== 'metric_for_text' && texts.some(([name]) => name === field)),
  );
  return invalidValue(locOf(index, field), conflicts[reason]);
}

/** Whether one of them has an empty text. */
function hasEmptyText(samples: readonly Sample[]): boolean {
  for (const { texts } of samples) for (const [, text] of texts) if (text === '') return true;
  return false;
}

/**
 * Without empty texts under names that are no text fields yet: what has no value is no reason to take a metric for a text for
 * ever. Under the name of a text field an empty text is a value. `places`: which of the samples are left.
 */
function withoutEmptyTexts(
  samples: readonly Sample[],
  fields: readonly Pick<FieldInfo, 'name' | 'kind'>[],
): { samples: Sample[]; places: number[]; ignored: IgnoredFields | undefined } {
  const known = new Set(fields.filter(({ kind }) => kind === 'text').map(({ name }) => name));
  for (const { texts } of samples) for (const [name, text] of texts) if (text !== '') known.add(name);
  let ignored: IgnoredFields | undefined;
  const left: Sample[] = [];
  const places: number[] = [];
  for (const [place, sample] of samples.entries()) {
    const texts = sample.texts.filter(([name, text]) => {
      if (text !== '' || known.has(name)) return true;
      ignored ??= new IgnoredFields();
      ignored.add(name, 'empty');
      return false;
    });
    if (sample.names.length + texts.length === 0) continue;
    left.push({ ...sample, texts });
    places.push(place);
  }
  return { samples: left, places, ignored };
}

/**
 * A name is a metric or a text for as long as its agent exists. Leaves out of a report what comes under a name of the
 * other kind, and what would make a text of it without being one.
 */
class ConflictFilter {
  readonly #samples: readonly Sample[];
  readonly #kinds = new Map<string, FieldInfo['kind']>();

  constructor(samples: readonly Sample[]) {
    this.#samples = samples;
  }

  knows(fields: readonly Pick<FieldInfo, 'name' | 'kind'>[]): void {
    for (const { name, kind } of fields) this.#kinds.set(name, kind);
  }

  /** The samples that have a field left. A name that is not known is what its first field is, as in the store. */
  apply(): { samples: Sample[]; ignored: IgnoredFields } {
    const kinds = new Map(this.#kinds);
    const ignored = new IgnoredFields();
    const isKept = (name: string, kind: FieldInfo['kind']) => {
      const known = kinds.get(name);
      if (known === undefined) kinds.set(name, kind);
      if (known === undefined || known === kind) return true;
      ignored.add(name, kind === 'text' ? 'text_for_metric' : 'metric_for_text');
      return false;
    };
    const samples = this.#samples.map(({ ts, names, values, texts }) => {
      const kept: Sample = { ts, names: [], values: [], texts: [] };
      for (const [index, name] of names.entries()) {
        if (!isKept(name, 'metric')) continue;
        kept.names.push(name);
        kept.values.push(values[index]!);
      }
      kept.texts = texts.filter(([name]) => isKept(name, 'text'));
      return kept;
    });
    return { samples: samples.filter((sample) => countFields(sample) > 0), ignored };
  }
}
