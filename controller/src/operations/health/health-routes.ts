// Operations on health.
import { selectorText } from '@weft/contract';
import { AgentHealthReport, NetworkFigures, NetworkHealth, WeftVersion } from '@weft/contract/operations';
import type { Product } from '@weft/contract/product';
import * as Type from '@weft/contract/schema';
import { agentReaders, everyone, networkReaders } from '../../core/base/rights/permission.ts';
import { type Route, routesOf } from '../../core/http/request/route.ts';
import type { HealthService } from './health-service.ts';
import type { NetworkFiguresService } from './network-figures.ts';

const route = routesOf('Alarms');

export function healthRoutes(health: HealthService, figures: NetworkFiguresService, product: Product): Route[] {
  return [
    route('network_health', 'GET /api/v1/health', {
      permission: networkReaders,
      summary: 'The health of the network: one word, causes, the worst ten, sites, alarms by severity',
      description: 'Of the access points that the caller may see. Alarms that are silenced or shelved do not count.',
      response: NetworkHealth,
      handle: ({ caller }) => health.network(caller),
    }),
    route('network_figures', 'GET /api/v1/health/figures', {
      permission: networkReaders,
      summary:
        'What the network does now, and its last day: devices served, delay budget, throughput, power, availability',
      description: 'Of the access points that the caller may see.',
      query: Type.Object({ selector: Type.Optional(selectorText('Which access points. Default: all.')) }),
      response: NetworkFigures,
      handle: ({ caller, query: { selector = '' } }) => figures.figures(caller, selector),
    }),
    route('agent_health', 'GET /api/v1/health/agents/:ap_id', {
      permission: agentReaders,
      summary: 'The health of one access point, and the minutes of the last day in which users were served well',
      response: AgentHealthReport,
      handle: (context) => health.agent(context.caller, context.path('ap_id')),
    }),
    route('weft_version', 'GET /api/v1/version', {
      permission: everyone,
      summary: 'Which Weft answers here: its version, and the commit that it was built of',
      response: WeftVersion,
      handle: async () => product,
    }),
  ];
}
