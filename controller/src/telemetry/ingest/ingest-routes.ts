// The endpoint for JSON: agents post what they measure, one sample or many.
import { AgentUpdateAnswer, AgentUpdateRequest } from '@weft/contract';
import { type Route, route } from '../../http/request/route.ts';
import { requireAgent } from '../../rights/rights.ts';
import { toIgnored } from './ignored-fields.ts';
import { maxFieldsPerSample, maxNameLength, maxSamplesPerBatch, maxTextLength } from './sample-fields.ts';
import type { Recorded, TelemetryService } from './telemetry-service.ts';

export function ingestRoutes(telemetry: TelemetryService): Route[] {
  return [
    // spec #21
    route({
      operation: 'agent_update',
      spec: 21,
      permission: { admin: 'no', user: 'no', agent: 'yes', third_party_app: 'no' },
      method: 'POST',
      url: '/api/v1/agent_update/update',
      tag: 'Telemetry',
      summary: 'Report telemetry; answered when it is durable',
      description: `At most ${maxSamplesPerBatch} samples a report, ${maxFieldsPerSample} fields a sample, ${maxNameLength} characters a name, ${maxTextLength} characters a text. A time is at most 5 minutes ahead, and within the retention of the samples.`,
      body: AgentUpdateRequest,
      bodyAsBytes: true,
      fastLane: true,
      logSuccess: false,
      response: AgentUpdateAnswer,
      handle({ bytes, caller }) {
        const agent = requireAgent(caller);
        const report = telemetry.reports.read(bytes, agent.name);
        return telemetry.record(agent, report).then(toAnswer);
      },
    }),
  ];
}

/** Nearly every answer is this one. */
const answerToOne = JSON.stringify(answerTo({ accepted: 1, ignored: undefined }));

function toAnswer(recorded: Recorded): AgentUpdateAnswer | string {
  return recorded.accepted === 1 && !recorded.ignored ? answerToOne : answerTo(recorded);
}

function answerTo({ accepted, ignored }: Recorded): AgentUpdateAnswer {
  const detail = ignored
    ? 'The update has been stored without the fields in ignored'
    : accepted > 0
      ? 'The update has been stored'
      : 'The update has been stored; it has no fields';
  return { status: 'success', detail, accepted, ...toIgnored(ignored) };
}
