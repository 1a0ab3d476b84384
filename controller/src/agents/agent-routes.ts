// Operations on agents and on enrolment tokens.
import { Agent, AgentCreate, AgentUpdate, EnrolmentToken, EnrolmentTokenCreate, StatusAnswer } from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { type Route, route, success } from '../http/request/route.ts';
import { adminsAndAgentItself, adminsAndManagers, adminsOnly, agentReaders } from '../rights/permission.ts';
import type { AgentService } from './agent-service.ts';
import type { EnrolmentService } from './enrolment-service.ts';

export function agentRoutes({ agents, enrolment }: { agents: AgentService; enrolment: EnrolmentService }): Route[] {
  const tag = 'Agents';
  return [
    // spec #12
    route({
      operation: 'create_agent_public',
      spec: 12,
      permission: { ...adminsOnly, openTo: 'enrolment_token' },
      method: 'POST',
      url: '/api/v1/agents/public',
      tag,
      summary: 'Register an agent, as an administrator or with an enrolment token',
      failures: { 409: 'An agent with this ap_id exists' },
      body: AgentCreate,
      response: Agent,
      handle: (context) => {
        const { body, request } = context;
        return request.enrolmentToken
          ? enrolment.enrol(request.enrolmentToken, body)
          : agents.create(body, context.caller);
      },
    }),
    // spec #13
    route({
      operation: 'create_agent',
      spec: 13,
      permission: adminsAndManagers,
      method: 'POST',
      url: '/api/v1/agents',
      tag,
      summary: 'Create an agent',
      failures: { 409: 'An agent with this ap_id exists' },
      body: AgentCreate,
      response: Agent,
      handle: ({ body, caller }) => agents.create(body, caller),
    }),
    // spec #14
    route({
      operation: 'get_agent',
      spec: 14,
      permission: agentReaders,
      method: 'GET',
      url: '/api/v1/agents/:ap_id',
      target: 'ap_id',
      tag,
      summary: 'Get an agent',
      response: Agent,
      handle: (context) => agents.get(context.path('ap_id'), context.caller),
    }),
    // spec #15
    route({
      operation: 'update_agent',
      spec: 15,
      permission: adminsAndAgentItself,
      method: 'PUT',
      url: '/api/v1/agents/:ap_id',
      target: 'ap_id',
      tag,
      summary: "Replace an agent's configuration or password",
      body: AgentUpdate,
      response: Agent,
      handle: (context) => agents.update(context.path('ap_id'), context.body, context.caller),
    }),
    // spec #16
    route({
      operation: 'remove_agent',
      spec: 16,
      permission: adminsAndManagers,
      method: 'DELETE',
      url: '/api/v1/agents/:ap_id',
      target: 'ap_id',
      tag,
      summary: 'Delete an agent',
      response: StatusAnswer,
      async handle(context) {
        await agents.remove(context.path('ap_id'), context.caller);
        return success('The agent has been deleted');
      },
    }),
    route({
      operation: 'create_enrolment_token',
      permission: adminsAndManagers,
      method: 'POST',
      url: '/api/v1/enrolment_tokens',
      tag,
      summary: 'Create a token with which access points register themselves; it is shown only once',
      body: EnrolmentTokenCreate,
      response: EnrolmentToken,
      handle: ({ body, caller }) =>
        enrolment.create({ ...body, expires_in: body.expires_in!, max_uses: body.max_uses! }, caller),
    }),
    route({
      operation: 'list_enrolment_tokens',
      permission: adminsAndManagers,
      method: 'GET',
      url: '/api/v1/enrolment_tokens',
      tag,
      summary: 'List the enrolment tokens that have not expired',
      response: Type.Array(EnrolmentToken),
      handle: ({ caller }) => enrolment.list(caller),
    }),
    route({
      operation: 'remove_enrolment_token',
      permission: adminsAndManagers,
      method: 'DELETE',
      url: '/api/v1/enrolment_tokens/:id',
      target: 'id',
      tag,
      summary: 'Revoke an enrolment token',
      response: StatusAnswer,
      async handle(context) {
        await enrolment.remove(context.path('id'), context.caller);
        return success('The enrolment token has been revoked');
      },
    }),
  ];
}
