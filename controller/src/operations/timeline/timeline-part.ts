// The timeline as a part: the event log for callers, in pages and live.
import { EventKind } from '@weft/contract';
import { didYouMean } from '@weft/contract/closest-name';
import type { EventLog } from '../../core/accounts/event-log/event-log.ts';
import { authorize } from '../../core/base/credential.ts';
import type { FormatCheck, Formats } from '../../core/base/input/validator.ts';
import { valueError } from '../../core/base/input/value-rules.ts';
import { fleetReaders } from '../../core/base/rights/permission.ts';
import type { Events } from '../../core/events.ts';
import type { Network } from '../../core/network/network.ts';
import type { Part, Platform } from '../../core/part.ts';
import { parseNames } from '../../core/telemetry/query/metrics-formats.ts';
import { EventFeed } from './event-feed.ts';
import { EventSelection, EventView } from './event-view.ts';
import { timelineRoutes } from './timeline-routes.ts';
import { TimelineService } from './timeline-service.ts';

const maxStreamsPerCaller = 20;

interface TimelinePartDeps extends Pick<Platform, 'shares' | 'onError' | 'isCutOff'> {
  eventLog: EventLog;
  network: Network;
}

export function createTimelinePart(deps: TimelinePartDeps, events: Events) {
  const { eventLog: log, network, shares, onError } = deps;
  const selection = new EventSelection(network);
  const view = new EventView({ network, selection });
  const timeline = new TimelineService({ log, view, network });
  const feed = new EventFeed({
    log,
    view,
    isCutOff: deps.isCutOff,
    share: shares.open('event_streams', maxStreamsPerCaller),
    authorize: (shown) => authorize(shown, fleetReaders),
    onError,
  });
  events.logged.on(() => feed.logged());
  events.callerChanged.on(({ id }) => feed.callerChanged(id));
  return {
    selection,
    view,
    routes: timelineRoutes({ timeline, feed }),
    formats: timelineFormats,
    metrics: {
      weft_event_streams: { help: 'Open streams of events', value: () => feed.openStreams },
    },
    drain: () => feed.close(),
  } satisfies Part & Record<string, unknown>;
}

// The `format` of lists of event kinds in queries and bodies.
const maxKinds = 50;
const kindPattern = /^(\*|[a-z][a-z_]{0,30}\.(\*|[a-z][a-z_]{0,30}))$/;

/** Kinds and families. */
const known = new Set(EventKind.enum.flatMap((kind) => [kind, `${kind.split('.')[0]}.*`]) as string[]);

const checkKinds: FormatCheck = (value, loc) => {
  const kinds = parseNames(value as string[]);
  if (kinds.length > maxKinds) return { problems: [valueError(loc, `there are more than ${maxKinds} kinds`)] };
  const wrong = kinds.find((kind) => !kindPattern.test(kind));
  if (wrong !== undefined) {
    return { problems: [valueError(loc, 'a kind is like `agent.offline`, a family like `agent.*`, and all are `*`')] };
  }
  // One that is none, and like none, may be of a later version.
  for (const kind of kinds) {
    const hint = kind === '*' || known.has(kind) ? '' : didYouMean(kind, known);
    if (hint !== '') return { problems: [valueError(loc, `there are no events ${kind}.${hint}`)] };
  }
  return { value: kinds };
};

export const timelineFormats: Formats = { 'event-kinds': checkKinds };
