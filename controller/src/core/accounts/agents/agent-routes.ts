// Operations on agents and on enrolment tokens.
import { Agent, AgentCreate, AgentUpdate, EnrolmentToken, EnrolmentTokenCreate } from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { adminsAndAgentItself, adminsAndManagers, adminsOnly, agentReaders } from '../../base/rights/permission.ts';
import { resourceRoutes } from '../../http/request/resource-routes.ts';
import { done, type Route, type RouteContext, routesOf } from '../../http/request/route.ts';
import type { TaggedAgent } from './agent-answers.ts';
import type { AgentService } from './agent-service.ts';
import type { EnrolmentService } from './enrolment-service.ts';

const route = routesOf('Agents');

export function agentRoutes({ agents, enrolment }: { agents: AgentService; enrolment: EnrolmentService }): Route[] {
  return [
    route('create_agent_public', 'POST /api/v1/agents/public', {
      spec: 12, // spec #12
      permission: { ...adminsOnly, openTo: 'enrolment_token' },
      summary: 'Register an agent, as an administrator or with an enrolment token',
      failures: { 409: 'An agent with this ap_id exists' },
      body: AgentCreate,
      response: Agent,
      async handle(context) {
        const { body, request } = context;
        if (request.pass) return enrolment.enrol(request.pass.name, body);
        return (await agents.create(body, context.caller)).agent;
      },
    }),
    route('create_agent', 'POST /api/v1/agents', {
      spec: 13, // spec #13
      permission: adminsAndManagers,
      summary: 'Create an agent',
      failures: { 409: 'An agent with this ap_id exists' },
      body: AgentCreate,
      response: Agent,
      etag: 'given',
      handle: (context) => tagged(context, agents.create(context.body, context.caller)),
    }),
    route('get_agent', 'GET /api/v1/agents/:ap_id', {
      spec: 14, // spec #14
      permission: agentReaders,
      summary: 'Get an agent',
      response: Agent,
      etag: 'given',
      handle: (context) => tagged(context, agents.getTagged(context.path('ap_id'), context.caller)),
    }),
    route('update_agent', 'PUT /api/v1/agents/:ap_id', {
      spec: 15, // spec #15
      permission: adminsAndAgentItself,
      summary: "Replace an agent's configuration or password",
      body: AgentUpdate,
      response: Agent,
      etag: 'compared',
      failures: { 412: 'The agent is not as it was: its configuration, or that it has onboarded, has changed' },
      handle(context) {
        const { body, caller, request } = context;
        return tagged(context, agents.update(context.path('ap_id'), body, caller, request.headers['if-match']));
      },
    }),
    route('remove_agent', 'DELETE /api/v1/agents/:ap_id', {
      spec: 16, // spec #16
      permission: adminsAndManagers,
      summary: 'Delete an agent',
      ...done('The agent has been deleted', (context) => agents.remove(context.path('ap_id'), context.caller)),
    }),
    ...resourceRoutes({
      tag: 'Agents',
      name: 'enrolment_token',
      at: '/api/v1/enrolment_tokens/:id',
      records: enrolment,
      schemas: { input: EnrolmentTokenCreate, shown: EnrolmentToken, listed: Type.Array(EnrolmentToken) },
      read: adminsAndManagers,
      change: adminsAndManagers,
      verbs: {
        create: 'Create a token with which access points register themselves; it is shown only once',
        list: 'List the enrolment tokens that have not expired',
        remove: 'Revoke an enrolment token',
      },
      removed: 'The enrolment token has been revoked',
    }),
  ];
}

async function tagged(context: RouteContext, answer: Promise<TaggedAgent>): Promise<Agent> {
  const { agent, etag } = await answer;
  context.reply.header('etag', etag);
  return agent;
}
