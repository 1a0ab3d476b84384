// Operations that look at the whole fleet: the list of agents, and what a selector means.
import { AgentPage, SelectorExplain, SelectorExplanation, selectorText } from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { fleetReaders } from '../../base/rights/permission.ts';
import { type Route, routesOf, streamOf } from '../../http/request/route.ts';
import { prometheusType } from './agent-metrics-text.ts';
import type { ListService } from './list-service.ts';

const route = routesOf('Fleet');

const fieldNames = ['configuration', 'latest'] as const;

export function listRoutes(lists: ListService): Route[] {
  return [
    route('list_agents', 'GET /api/v1/agents', {
      permission: fleetReaders,
      summary: 'List access points by selector, search and order, page by page',
      description:
        'Where the order cannot change by itself, nothing is skipped or repeated while others come and go. Orders and selectors by state, power state or metric are of the moment of the first page, for 60 seconds.',
      query: Type.Object({
        selector: Type.Optional(
          selectorText('Which of them; without a state in it, emulated ones whose run has ended are left out.'),
        ),
        search: Type.Optional.String({
          maxLength: 200,
          description: 'In the ap_id, display name, site or tags; case does not matter.',
        }),
        sort: Type.Optional.String({
          maxLength: 200,
          default: 'ap_id',
          description:
            'A field, or a metric by its newest value; after `-` the largest first. What has none is last. `name`: by display name, else ap_id, numbers in it by their size.',
        }),
        cursor: Type.Optional.String({ maxLength: 2048, description: '`next` of the page before.' }),
        limit: Type.Optional.Integer({ minimum: 1, maximum: 1000, default: 100 }),
        fields: Type.Optional.Array(Type.String(), {
          format: 'agent-fields',
          description: '`configuration` and `latest` add those; also separated by commas.',
        }),
        count: Type.Optional.Boolean({ description: 'Add how many match.' }),
      }),
      response: AgentPage,
      handle: ({ query, caller }) =>
        lists.list(caller, {
          selector: query.selector ?? '',
          search: query.search,
          sort: query.sort,
          cursor: query.cursor,
          limit: query.limit!,
          fields: (query.fields ?? []) as (typeof fieldNames)[number][],
          count: query.count ?? false,
        }),
    }),
    route('agent_metrics_text', 'GET /metrics/agents', {
      permission: fleetReaders,
      summary: 'The newest values of all access points in the text format of Prometheus',
      description: 'For an app also with its name and key as `Basic`. Values older than 5 minutes are left out.',
      takes: 'app_key',
      media: ['text/plain'],
      query: Type.Object({
        selector: Type.Optional(selectorText('Which access points. Default: all.')),
        metrics: Type.Optional.Array(Type.String(), {
          format: 'metric-filter',
          documented: { minItems: 0, maxItems: 100 },
          description: 'Only these metrics, at most 100; repeated, or separated by commas.',
        }),
      }),
      response: Type.Unknown({ description: 'One line a value.' }),
      async handle({ query: { selector = '', metrics = [] }, caller, reply }) {
        const pieces = await lists.metricsText(caller, { selector, metrics });
        reply.header('content-type', prometheusType);
        return streamOf(pieces);
      },
    }),
    route('explain_selector', 'POST /api/v1/selectors/explain', {
      permission: fleetReaders,
      summary: 'Say in words what a selector means, and how many access points match',
      body: SelectorExplain,
      changesNothing: true,
      response: SelectorExplanation,
      handle: ({ body, caller }) => lists.explain(caller, body.selector),
    }),
  ];
}
