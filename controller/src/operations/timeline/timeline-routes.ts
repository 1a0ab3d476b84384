// Reading the event log: pages, and a stream of what comes.
import { EventList } from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { fleetReaders } from '../../core/base/rights/permission.ts';
import { type Route, routesOf } from '../../core/http/request/route.ts';
import { streamHeaders } from '../../core/http/streams/stream-hub.ts';
import type { EventFeed } from './event-feed.ts';
import type { TimelineService } from './timeline-service.ts';

const route = routesOf('Events');

const maxEvents = 500;

const Kinds = Type.Optional.Array(Type.String(), {
  format: 'event-kinds',
  description: 'Only these kinds (`agent.offline`) or families (`alarm.*`); repeated, or separated by commas.',
});
const Moment = (description: string) => Type.Optional.String({ format: 'date-time', description });
const Id = (description: string) =>
  Type.Optional.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
const ApId = Type.Optional.String({
  minLength: 1,
  maxLength: 512,
  format: 'agent-name',
  description: 'Only events about this agent, whatever their subjects are.',
});

const Selector = Type.Optional.String({
  maxLength: 1000,
  format: 'selector',
  description: 'Only events about access points that it selects, and about their sites.',
});

export function timelineRoutes({ timeline, feed }: { timeline: TimelineService; feed: EventFeed }): Route[] {
  return [
    route('list_events', 'GET /api/v1/events', {
      permission: fleetReaders,
      summary: 'List events, newest first, or oldest first after an id',
      query: Type.Object({
        kinds: Kinds,
        selector: Selector,
        agent: ApId,
        search: Type.Optional.String({
          maxLength: 200,
          description:
            'Only events about the access points with this id or display name, in any case; if there is none, about those whose names contain it.',
        }),
        subject: Type.Optional.String({ minLength: 1, maxLength: 512, description: 'Only of this subject.' }),
        site: Type.Optional.String({
          minLength: 1,
          maxLength: 512,
          description: 'Only of the site with this path and those below it.',
        }),
        from: Moment('From this moment on.'),
        until: Moment('Before this moment.'),
        after: Id('Only events with a higher id; oldest first, unless `order` says otherwise.'),
        order: Type.Optional.Enum(['newest_first', 'oldest_first'], {
          description: 'Default: newest first; with `after`, oldest first.',
        }),
        cursor: Type.Optional.String({
          maxLength: 64,
          description: 'What `next` was; all other parameters are the same again.',
        }),
        limit: Type.Optional.Integer({ minimum: 1, maximum: maxEvents, default: 100 }),
      }),
      response: EventList,
      handle: ({ caller, query: { agent: ap_id, from, until, limit, ...query } }) =>
        timeline.list(caller, {
          ...query,
          ap_id,
          fromMs: from === undefined ? undefined : Date.parse(from),
          untilMs: until === undefined ? undefined : Date.parse(until),
          limit: limit!,
        }),
    }),
    route('event_stream', 'GET /api/v1/events/stream', {
      permission: fleetReaders,
      summary: 'Events as server-sent events; continues after Last-Event-ID or `after`',
      tokenInQuery: true,
      media: ['text/event-stream'],
      holdsOpen: true,
      query: Type.Object({
        kinds: Kinds,
        selector: Selector,
        agent: ApId,
        after: Id('The id of the last event received. Default: only what comes from now on.'),
        token: Type.Optional.String({ description: 'The token, for clients that cannot set headers.' }),
      }),
      response: Type.Unknown({ description: 'Events `event`, `gap` (events were no longer kept) and `end`.' }),
      async handle({ query: { kinds, selector, agent: ap_id, after }, request, reply, caller, shown }) {
        const resume = request.headers['last-event-id'];
        const last = Array.isArray(resume) ? resume.at(-1) : resume;
        const stream = await feed.open({
          caller,
          shown,
          kinds: kinds && kinds.length > 0 ? kinds : undefined,
          ap_id,
          selector,
          after: last !== undefined && /^[0-9]{1,15}$/.test(last) ? Number(last) : after,
        });
        reply.headers(streamHeaders);
        return stream;
      },
    }),
  ];
}
