// The endpoint for InfluxDB's line protocol, at the addresses of its versions 1 and 2, so that Telegraf's ordinary outputs
// post to Weft, and administrators bring history in. An agent shows its token (Bearer, Token) or its ap_id and password
// (Basic, Token; over TLS and loopback also `?u=&p=`). Databases, buckets and organizations mean nothing here, and
// there is no /query and no /ping: set `skip_database_creation = true` in [[outputs.influxdb]]. See examples/telegraf.conf.
import * as Type from '@weft/contract/schema';
import { UnusableRequestError, ValidationError } from '../../base/errors.ts';
import { adminsAndAgentItself } from '../../base/rights/permission.ts';
import { rightsOf } from '../../base/rights/rights.ts';
import { type Route, routesOf } from '../../http/request/route.ts';
import type { Network } from '../../network/network.ts';
import { type Precision, parseLineProtocol, precisions } from './line-protocol.ts';
import type { TelemetryService } from './telemetry-service.ts';

const route = routesOf('Telemetry');

const maxBytes = 1024 * 1024;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** For history, which is no sign of life and no news: the service must tell nobody who watches the present. */
export interface HistoryEndpoint {
  telemetry: TelemetryService;
  network: Pick<Network, 'visibleTo'>;
}

export function lineProtocolRoutes(telemetry: TelemetryService, history: HistoryEndpoint): Route[] {
  return (['/api/v1/write', '/write', '/api/v2/write'] as const).map((url) =>
    route('write_line_protocol', `POST ${url}`, {
      permission: adminsAndAgentItself,
      summary: 'Report telemetry in the line protocol of InfluxDB',
      query: Type.Object({
        agent: Type.Optional.String({
          format: 'agent-name',
          description: 'The agent of the telemetry. Required for administrators; an agent may name only itself.',
        }),
        u: Type.Optional.String({ description: 'The ap_id, beside `p`, over TLS or loopback only.' }),
        p: Type.Optional.String({ description: 'The password of the agent. It is not logged.' }),
        precision: Type.Optional.Enum(precisions, {
          default: 'ns',
          description: 'The unit of the times in the lines.',
        }),
      }),
      target: '?agent',
      rawBody: { maxBytes },
      takes: 'agent_password',
      logSuccess: false,
      changesNothing: true,
      hasNoAnswer: true,
      response: Type.Unknown(),
      async handle({ body, query, caller, reply }) {
        const { agent } = rightsOf(caller);
        const ap_id = agent ? agent.name : requireName(query.agent);
        const report = parseLineProtocol(decode(body as Uint8Array), {
          precision: query.precision as Precision,
          ap_id,
          nowMs: Date.now(),
          // History that an administrator imports is not what the agent reports.
          limits: agent ? telemetry.limits : { ...telemetry.limits, budget: undefined },
        });
        // The answer has no body.
        if (report.merged) reply.header('x-weft-merged', report.merged);
        if (report.rounded?.count) reply.header('x-weft-rounded', report.rounded.count);
        if (agent) await telemetry.record(agent, report);
        else {
          const { id } = (await history.network.visibleTo(caller)).require(ap_id);
          await history.telemetry.record({ kind: 'agent', id, name: ap_id }, report);
        }
      },
    }),
  );
}

function requireName(agent: string | undefined): string {
  if (agent !== undefined) return agent;
  throw new ValidationError([{ loc: ['query', 'agent'], msg: 'Field required', type: 'missing' }]);
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new UnusableRequestError(400, 'unreadable_body', 'The body is not UTF-8');
  }
}
