// The door for InfluxDB's line protocol, at the addresses of its versions 1 and 2, so that Telegraf's ordinary outputs
// post to Weft. An agent shows its token (Bearer, Token) or its ap_id and password (Basic, Token); `u` and `p` in the
// address are not taken, because addresses end up in logs. Databases, buckets and organizations mean nothing here: set
// `skip_database_creation = true` in [[outputs.influxdb]], there is no /query and no /ping. See examples/telegraf.conf.
import Type from 'typebox';
import { UnusableRequestError } from '../errors.ts';
import { type Route, route } from '../http/route.ts';
import { requireAgent } from './ingest-routes.ts';
import { type Precision, parseLineProtocol, precisions } from './line-protocol.ts';
import type { TelemetryService } from './telemetry-service.ts';

const maxBytes = 1024 * 1024;
const utf8 = new TextDecoder('utf-8', { fatal: true });

export function lineProtocolRoutes(telemetry: TelemetryService): Route[] {
  return ['/api/v1/write', '/write', '/api/v2/write'].map((url) =>
    route({
      operation: 'write_line_protocol',
      method: 'POST',
      url,
      tag: 'Telemetry',
      summary: 'Report telemetry in the line protocol of InfluxDB',
      query: Type.Object({
        precision: Type.Optional(
          Type.Enum(precisions, { default: 'ns', description: 'The unit of the times in the lines.' }),
        ),
      }),
      rawBody: { maxBytes },
      takesAgentPassword: true,
      isFrequent: true,
      hasNoAnswer: true,
      response: Type.Unknown(),
      async handle({ body, query, caller }) {
        const agent = requireAgent(caller);
        const report = parseLineProtocol(decode(body as Uint8Array), {
          precision: query.precision as Precision,
          ap_id: agent.name,
          nowMs: Date.now(),
          limits: telemetry.limits,
        });
        await telemetry.record(agent, report);
      },
    }),
  );
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new UnusableRequestError(400, 'unreadable_body', 'The body is not UTF-8');
  }
}
