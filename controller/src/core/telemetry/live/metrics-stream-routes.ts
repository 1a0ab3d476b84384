// Live values as server-sent events: each sample as it is stored, for browsers and programs that keep a connection open.
import * as Type from '@weft/contract/schema';
import { fleetReaders } from '../../base/rights/permission.ts';
import { type Route, routesOf } from '../../http/request/route.ts';
import { streamHeaders } from '../../http/streams/stream-hub.ts';
import type { LiveFeed } from './live-feed.ts';

const route = routesOf('Metrics');

const Names = (format: string, description: string) =>
  Type.Optional.Array(Type.String(), { format, description: `${description}; repeated, or separated by commas.` });

export function metricsStreamRoutes(feed: LiveFeed): Route[] {
  return [
    route('metrics_stream', 'GET /api/v1/metrics/stream', {
      permission: fleetReaders,
      summary: 'Live values as server-sent events; continues after Last-Event-ID or `after`',
      tokenInQuery: true,
      media: ['text/event-stream'],
      holdsOpen: true,
      query: Type.Object({
        agents: Names('agent-filter', 'Only these agents'),
        metrics: Names('metric-filter', 'Only these metrics'),
        after: Type.Optional.String({ maxLength: 64, description: 'The id of the last event received.' }),
        token: Type.Optional.String({ description: 'The token, for clients that cannot set headers.' }),
      }),
      response: Type.Unknown({
        description: 'Events `sample`, `gap`, `warning` (nobody reports a metric of the filter) and `end`.',
      }),
      async handle({ query, request, reply, caller, shown }) {
        const resume = request.headers['last-event-id'];
        const stream = feed.open({
          caller,
          shown,
          agents: setOf(query.agents),
          metrics: setOf(query.metrics),
          after: (Array.isArray(resume) ? resume.at(-1) : resume) ?? query.after,
        });
        reply.headers(streamHeaders);
        return stream;
      },
    }),
  ];
}

function setOf(names: string[] | undefined): Set<string> | undefined {
  return names && names.length > 0 ? new Set(names) : undefined;
}
