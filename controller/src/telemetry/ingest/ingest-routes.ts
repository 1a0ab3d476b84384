// The door for JSON: agents post what they measure, one sample or many.
import { AgentUpdateAnswer, AgentUpdateRequest } from '@weft/contract';
import type { AgentCaller, Caller } from '../../caller.ts';
import { PermissionError } from '../../errors.ts';
import { type Route, route } from '../../http/request/route.ts';
import { KnownReports } from './known-reports.ts';
import { parseReport } from './parse-report.ts';
import type { TelemetryService } from './telemetry-service.ts';

/** Room for the largest batch with a time and five fields in each sample. */
const maxKeys = 60_010;

export function ingestRoutes(telemetry: TelemetryService): Route[] {
  const known = new KnownReports(telemetry.limits);
  return [
    // spec #21
    route({
      operation: 'agent_update',
      method: 'POST',
      url: '/api/v1/agent_update/update',
      tag: 'Telemetry',
      summary: 'Report telemetry; answered when it is durable',
      body: AgentUpdateRequest,
      maxKeys,
      fastLane: true,
      logSuccess: false,
      response: AgentUpdateAnswer,
      handleKnown(bytes, caller) {
        const agent = requireAgent(caller);
        const report = known.read(bytes, agent.name, Date.now());
        return report && telemetry.record(agent, report).then(answerOne);
      },
      async handle({ body, bytes, inexact, caller }): Promise<AgentUpdateAnswer> {
        const agent = requireAgent(caller);
        const report = parseReport(body, agent.name, Date.now(), telemetry.limits, inexact);
        const accepted = await telemetry.record(agent, report);
        if (bytes) known.learn(bytes, agent.name);
        return toAnswer(accepted);
      },
    }),
  ];
}

function toAnswer(accepted: number): AgentUpdateAnswer {
  return { status: 'success', detail: 'The update has been stored', accepted };
}

/** Nearly every answer is this one. */
const answerToOne = JSON.stringify(toAnswer(1));
const answerOne = () => answerToOne;

/** The permissions table lets nobody else in; this tells the compiler. */
export function requireAgent(caller: Caller): AgentCaller {
  if (caller.kind !== 'agent') throw new PermissionError();
  return caller;
}
