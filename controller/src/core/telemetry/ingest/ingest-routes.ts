// The endpoint for JSON: agents post what they measure, one sample or many.
import { AgentUpdateAnswer, AgentUpdateRequest } from '@weft/contract';
import { ignoredReasons } from '@weft/contract/ignored-reasons';
import { requireAgent } from '../../base/rights/rights.ts';
import { type Route, routesOf } from '../../http/request/route.ts';
import type { IgnoredReason } from './ignored-fields.ts';
import type { TelemetryReport } from './parse-report.ts';
import { maxFieldsPerSample, maxNameLength, maxSamplesPerBatch, maxTextLength } from './sample-fields.ts';
import { type Recorded, type TelemetryService, toCounts } from './telemetry-service.ts';

const route = routesOf('Telemetry');

export function ingestRoutes(telemetry: TelemetryService): Route[] {
  return [
    route('agent_update', 'POST /api/v1/agent_update/update', {
      spec: 21, // spec #21
      permission: { admin: 'no', user: 'no', agent: 'yes', third_party_app: 'no' },
      summary: 'Report telemetry; answered when it is durable',
      description: `At most ${maxSamplesPerBatch} samples a report, ${maxFieldsPerSample} fields a sample, ${maxNameLength} characters a name, ${maxTextLength} characters a text. A time is kept in milliseconds; it is at most 5 minutes ahead, and within the retention of the samples.`,
      body: AgentUpdateRequest,
      bodyAsBytes: true,
      fastLane: true,
      logSuccess: false,
      response: AgentUpdateAnswer,
      handle({ bytes, caller }) {
        const agent = requireAgent(caller);
        const report = telemetry.reports.read(bytes, agent.name);
        return telemetry.record(agent, report).then((recorded) => toAnswer(recorded, report));
      },
    }),
  ];
}

const stored = 'The update has been stored';
/** Nearly every answer is this one. */
const answerToOne = JSON.stringify({ status: 'success', detail: stored, accepted: 1 } satisfies AgentUpdateAnswer);
const maxExplained = 5;
const reasons: Record<IgnoredReason, string> = ignoredReasons;

function toAnswer(recorded: Recorded, report: TelemetryReport): AgentUpdateAnswer | string {
  const { accepted, merged, ignored, rounded } = recorded;
  if (accepted === 1 && merged === 0 && !ignored && !rounded) return answerToOne;
  if (accepted === 0) return { status: 'success', detail: whyNothing(report, ignored), ...toCounts(recorded) };
  const detail = [
    ignored ? `${stored} without the fields in ignored` : stored,
    ...(merged > 0 ? [`${merged} samples have replaced fields of others in the same millisecond`] : []),
    ...(rounded ? ['the integers in rounded have too many digits for a number: send them as texts'] : []),
  ];
  return { status: 'success', detail: detail.join('; '), ...toCounts(recorded) };
}

/** A report without a sample may still have brought a configuration, or who is attached. */
function whyNothing({ configuration, devices }: TelemetryReport, ignored: Recorded['ignored']): string {
  const what = configuration === undefined && devices === undefined ? 'Nothing' : 'No sample';
  const left = ignored?.named.slice(0, maxExplained).map(({ field, reason }) => `${field}: ${reasons[reason]}`);
  return `${what} was stored: ${left?.join('; ') ?? 'the report has no fields'}`;
}
