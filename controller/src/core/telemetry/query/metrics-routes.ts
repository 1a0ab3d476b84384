// The ways out of the telemetry path: agents and their series for charts, newest values for maps and tables, whole
// ranges for downloads.

import {
  AgentData,
  AgentDetails,
  AgentFilter,
  AgentMetrics,
  AgentMultiMetricData,
  Aggregate,
  FleetPresence,
  FleetSeries,
  LatestMetrics,
} from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { invalidValue } from '../../base/input/value-rules.ts';
import { agentReaders, fleetReaders } from '../../base/rights/permission.ts';
import { type Route, routesOf, streamOf } from '../../http/request/route.ts';
import type { PresenceService } from '../presence/presence-service.ts';
import { isWhole, type LongList } from './long-lists.ts';
import { nameBounds } from './metrics-formats.ts';
import type { JsonAnswer, MetricsService, SeriesOptions } from './metrics-service.ts';
import { maxWindowLength, parseWindow } from './time-window.ts';

const dayMs = 86_400_000;
const route = routesOf('Metrics');

const AgentName = Type.String({ format: 'agent-name', description: 'The ap_id.' });
const Window = Type.Optional.String({
  format: 'time-window',
  default: '5',
  description:
    'Minutes, or numbers with units (`90s`, `1h30m`, `2 days`), or an ISO 8601 duration; more than 0, at most the retention of hourly values (default: 400 days).',
  documented: {
    anyOf: [
      { type: 'integer', minimum: 1 },
      { type: 'string', maxLength: maxWindowLength },
    ],
    default: 5,
  },
});
const Moment = (description: string) => Type.Optional.String({ format: 'date-time', description });
const Names = (format: keyof typeof nameBounds, description: string) =>
  Type.Array(Type.String(), {
    format,
    description: `${description}, at most ${nameBounds[format].maxItems}; repeated, or separated by commas.`,
    documented: nameBounds[format],
  });
const seriesParameters = {
  window: Window,
  max_points: Type.Optional.Integer({
    minimum: 1,
    maximum: 50_000,
    default: 5000,
    description:
      'Maximum points of each series; longer series are aggregated in buckets. An answer contains at most 500,000 values.',
  }),
  aggregate: Type.Optional.Enum(Aggregate.enum, { default: 'mean' }),
  end: Moment('End of the window. Default: now.'),
};

export function metricsRoutes({ metrics, presence }: { metrics: MetricsService; presence: PresenceService }): Route[] {
  return [
    route('metrics_agent_details', 'GET /api/v1/metrics/agent_details', {
      spec: 26, // spec #26
      permission: fleetReaders,
      summary: 'Every agent that the caller may read; emulated ones whose run has ended only on request',
      query: AgentFilter,
      response: Type.Array(AgentDetails),
      handle: async ({ query, caller }) => asJson(await metrics.agentDetails(caller, query)),
    }),
    route('metrics_agent_data', 'GET /api/v1/metrics/agent_data', {
      spec: 27, // spec #27
      permission: agentReaders,
      target: '?agent',
      fastLane: true,
      summary: 'All fields of an agent over a window',
      query: Type.Object({ agent: AgentName, ...seriesParameters }),
      response: AgentData,
      handle: async ({ query, caller }) => asJson(await metrics.agentData(query.agent, toSeriesOptions(query), caller)),
    }),
    route('metrics_agent_multi_metric_data', 'GET /api/v1/metrics/agent_multi_metric_data', {
      spec: 28, // spec #28
      permission: agentReaders,
      target: '?agent',
      fastLane: true,
      summary: 'Several metrics of an agent over a window, one series per metric',
      query: Type.Object({
        agent: AgentName,
        metrics: Names('metric-names', 'Names of metrics'),
        ...seriesParameters,
      }),
      response: AgentMultiMetricData,
      handle: async ({ query, caller }) => {
        const options = toSeriesOptions(query);
        return asJson(await metrics.multiMetricData(query.agent, query.metrics, options, caller));
      },
    }),
    route('metrics_agent_metrics', 'GET /api/v1/metrics/agent_metrics', {
      spec: 29, // spec #29
      permission: agentReaders,
      target: '?agent',
      fastLane: true,
      summary: 'The metrics that an agent has reported within a window',
      query: Type.Object({ agent: AgentName, window: Window }),
      response: AgentMetrics,
      handle: ({ query, caller }) => metrics.agentMetrics(query.agent, parseAccepted(query.window), caller),
    }),
    route('metrics_series', 'GET /api/v1/metrics/series', {
      permission: fleetReaders,
      fastLane: true,
      summary: 'Several metrics of several agents over a window; agents that the caller may not read are left out',
      query: Type.Object({
        agents: Names('agent-names', 'The ap_ids'),
        metrics: Names('metric-names', 'Names of metrics'),
        ...seriesParameters,
        band: Type.Optional.Boolean({ default: false, description: 'Also the extremes of each bucket.' }),
        texts: Type.Optional.Boolean({ default: false, description: 'Also the texts of these names.' }),
      }),
      response: FleetSeries,
      handle: async ({ query, caller }) => {
        const { agents, band = false, texts = false } = query;
        return asJson(await metrics.series(agents, query.metrics, { ...toSeriesOptions(query), band, texts }, caller));
      },
    }),
    route('metrics_latest', 'GET /api/v1/metrics/latest', {
      permission: fleetReaders,
      fastLane: true,
      summary: 'The latest value of every metric of every agent that the caller may read',
      query: Type.Object({
        agents: Type.Optional(Names('agent-filter', 'Only these agents')),
        metrics: Type.Optional(Names('metric-filter', 'Only these metrics')),
        texts: Type.Optional.Boolean({ default: false, description: 'Also the latest text of every name.' }),
      }),
      response: LatestMetrics,
      handle: async ({ query, caller }) => asJson(await metrics.latest(caller, query)),
    }),
    route('metrics_presence', 'GET /api/v1/metrics/presence', {
      permission: fleetReaders,
      fastLane: true,
      summary: 'Which agents are online, late or offline, since when and why',
      query: Type.Object({ agents: Type.Optional(Names('agent-filter', 'Only these agents')) }),
      response: FleetPresence,
      handle: async ({ query, caller }) => ({ agents: await presence.list(caller, query.agents) }),
    }),
    route('metrics_export', 'GET /api/v1/metrics/export', {
      permission: agentReaders,
      target: '?agent',
      summary: 'The samples of a range as CSV or as JSON lines',
      media: ['text/csv', 'application/x-ndjson'],
      query: Type.Object({
        agent: AgentName,
        start: Moment('Default: a day before the end.'),
        end: Moment('Default: now.'),
        format: Type.Optional.Enum(['csv', 'ndjson'], { default: 'csv' }),
        metrics: Type.Optional(Names('metric-filter', 'Only these fields')),
      }),
      response: Type.Unknown({ description: 'One line per time, oldest first.' }),
      async handle({ query, caller, reply }) {
        const endMs = momentMs(query.end) ?? Date.now();
        const startMs = momentMs(query.start) ?? endMs - dayMs;
        if (startMs >= endMs) throw invalidValue(['query', 'start'], 'start must be before end');
        const { agent, format = 'csv' } = query;
        const names = query.metrics && query.metrics.length > 0 ? query.metrics : undefined;
        const pieces = await metrics.exportRows(agent, { startMs, endMs, format, metrics: names }, caller);
        reply.headers({
          'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8',
          'content-disposition': attachment(`weft-${agent}.${format}`),
        });
        return streamOf(pieces);
      },
    }),
  ];
}

function toSeriesOptions(query: {
  window?: string;
  max_points?: number;
  aggregate?: SeriesOptions['aggregate'];
  end?: string;
}): SeriesOptions {
  return {
    window: parseAccepted(query.window),
    maxPoints: query.max_points ?? 5000,
    aggregate: query.aggregate ?? 'mean',
    endMs: momentMs(query.end),
  };
}

/** The longest window that is allowed has been checked by the format. */
function parseAccepted(window: string | undefined) {
  return parseWindow(window, Number.POSITIVE_INFINITY);
}

function momentMs(moment: string | undefined): number | undefined {
  return moment === undefined ? undefined : Date.parse(moment);
}

/** The answer is JSON of the route's type already, whole or in pieces. */
function asJson<T>(answer: JsonAnswer | LongList): T {
  return (isWhole(answer) ? answer : streamOf(answer)) as T;
}

/** For clients that read only the first form, with other characters in place of those that it cannot have. */
function attachment(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9._-]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain}"${plain === name ? '' : `; filename*=UTF-8''${encoded}`}`;
}
