// Operations on what access points shall be.

import { randomUUID } from 'node:crypto';
import { ConfigNext, ConfigResult, ConfigRunning, StatusAnswer } from '@weft/contract';
import {
  AgentConfigView,
  ChangePreview,
  ChangeSet,
  ChangeSetCreate,
  ChangeSetPage,
  ConfigLayer,
  ConfigLayerPage,
  ConfigLayerVersionPage,
  ConfigSecret,
  ConfigSecretPage,
  ConfigSecretSet,
  ConfigVariablePage,
  ConfigVariableSet,
  Reconfigured,
  Rollout,
  RolloutAgentPage,
  RolloutPage,
  RolloutPlan,
  RolloutSeries,
} from '@weft/contract/operations';
import * as Type from '@weft/contract/schema';
import {
  agentConfigReaders,
  agentItself,
  configDrafters,
  configReaders,
  configRollers,
} from '../../../core/base/rights/permission.ts';
import { requireAgent } from '../../../core/base/rights/rights.ts';
import { done, type Route, routesOf, success, whileConnected } from '../../../core/http/request/route.ts';
import type { ConfigDelivery } from '../delivery/config-delivery.ts';
import { type AgentConfigService, configViews } from './agent-config-service.ts';
import type { ChangeSetService } from './change-set-service.ts';
import type { ConfigService } from './config-service.ts';
import type { RolloutService } from './rollout-service.ts';
import type { RolloutStart } from './rollout-start.ts';
import type { ValuesService } from './values-service.ts';

const route = routesOf('Configuration');
const page = Type.Object({
  cursor: Type.Optional.String({ maxLength: 2048, description: '`next` of the page before.' }),
  limit: Type.Optional.Integer({ minimum: 1, maximum: 1000, default: 200 }),
});
const pageOf = ({ cursor, limit }: { cursor?: string | undefined; limit?: number | undefined }) => ({
  cursor,
  limit: limit!,
});

export interface ConfigRouteParts {
  config: ConfigService;
  values: ValuesService;
  changeSets: ChangeSetService;
  rollouts: RolloutService;
  rolloutStart: RolloutStart;
  agents: AgentConfigService;
  delivery: ConfigDelivery;
}

export function configRoutes({
  config,
  values,
  changeSets,
  rollouts,
  rolloutStart,
  agents,
  delivery,
}: ConfigRouteParts): Route[] {
  const word = (operation: string, verb: 'pause' | 'resume' | 'revert' | 'abort', summary: string) =>
    route(operation, `POST /api/v1/rollouts/:id/${verb}`, {
      permission: configRollers,
      summary,
      failures: { 409: 'The roll-out is not in a state in which this can be done' },
      response: Rollout,
      handle: (context) => rollouts[verb](context.caller, context.path('id')),
    });
  return [
    route('list_config_layers', 'GET /api/v1/config/layers', {
      permission: configReaders,
      summary: 'List the layers of settings in force, the heaviest first',
      query: page,
      response: ConfigLayerPage,
      handle: ({ caller, query }) => config.layers(caller, pageOf(query)),
    }),
    route('get_config_layer', 'GET /api/v1/config/layers/:id', {
      permission: configReaders,
      summary: 'Get a layer',
      response: ConfigLayer,
      handle: (context) => config.layer(context.caller, context.path('id')),
    }),
    route('list_config_layer_versions', 'GET /api/v1/config/layers/:id/versions', {
      permission: configReaders,
      summary: 'List the versions of a layer, newest first',
      query: page,
      response: ConfigLayerVersionPage,
      handle: (context) => config.versions(context.caller, context.path('id'), pageOf(context.query)),
    }),
    route('list_config_variables', 'GET /api/v1/config/variables', {
      permission: configReaders,
      summary: 'List the variables of access points and sites',
      query: page,
      response: ConfigVariablePage,
      handle: ({ caller, query }) => values.variables(caller, pageOf(query)),
    }),
    route('set_config_variable', 'PUT /api/v1/config/variables', {
      permission: configRollers,
      summary: 'Set or remove a variable; whoever uses it is reconfigured at once',
      failures: { 404: 'There is no such access point or site', 409: 'There are too many variables' },
      body: ConfigVariableSet,
      response: Reconfigured,
      handle: ({ caller, body }) => values.setVariable(caller, body),
    }),
    route('list_config_secrets', 'GET /api/v1/config/secrets', {
      permission: configReaders,
      summary: 'List the secrets that you may name, without their values',
      query: page,
      response: ConfigSecretPage,
      handle: ({ caller, query }) => values.secrets(caller, pageOf(query)),
    }),
    route('set_config_secret', 'PUT /api/v1/config/secrets', {
      permission: configRollers,
      summary: 'Set, share or move a secret; whoever uses it is reconfigured at once',
      failures: {
        404: 'There is no such access point, site or secret',
        409: 'There are too many secrets, or a layer uses the one that is to be moved',
      },
      body: ConfigSecretSet,
      response: ConfigSecret,
      handle: ({ caller, body }) => values.setSecret(caller, body),
    }),
    route('remove_config_secret', 'DELETE /api/v1/config/secrets/:name', {
      permission: configRollers,
      summary: 'Delete a secret that no layer uses',
      failures: { 409: 'A layer uses it' },
      query: Type.Object({
        ap_id: Type.Optional.String({ description: 'Of which access point.' }),
        site: Type.Optional.String({ description: 'Of which site; without it and ap_id: of the installation.' }),
      }),
      response: StatusAnswer,
      async handle(context) {
        await values.removeSecret(context.caller, context.path('name'), context.query);
        return success('The secret has been deleted');
      },
    }),
    route('list_change_sets', 'GET /api/v1/config/change_sets', {
      permission: configReaders,
      summary: 'List the change sets, newest first',
      query: page,
      response: ChangeSetPage,
      handle: ({ caller, query }) => changeSets.list(caller, pageOf(query)),
    }),
    route('create_change_set', 'POST /api/v1/config/change_sets', {
      permission: configDrafters,
      summary: 'Draft a change of layers',
      failures: { 404: 'There is no such layer', 409: 'There are too many drafts' },
      body: ChangeSetCreate,
      response: ChangeSet,
      handle: ({ caller, body }) => changeSets.create(caller, body),
    }),
    route('get_change_set', 'GET /api/v1/config/change_sets/:id', {
      permission: configReaders,
      summary: 'Get a change set',
      response: ChangeSet,
      handle: (context) => changeSets.get(context.caller, context.path('id')),
    }),
    route('replace_change_set', 'PUT /api/v1/config/change_sets/:id', {
      permission: configDrafters,
      summary: 'Replace a draft; it is based on what is in force now',
      failures: { 409: 'It has been rolled out' },
      body: ChangeSetCreate,
      response: ChangeSet,
      handle: (context) => changeSets.replace(context.caller, context.path('id'), context.body),
    }),
    route('remove_change_set', 'DELETE /api/v1/config/change_sets/:id', {
      permission: configDrafters,
      summary: 'Delete a draft',
      failures: { 409: 'It has been rolled out' },
      ...done('The change set has been deleted', (context) => changeSets.remove(context.caller, context.path('id'))),
    }),
    route('preview_change_set', 'POST /api/v1/config/change_sets/:id/preview', {
      permission: configDrafters,
      changesNothing: true,
      summary: 'What a change set would do: access points by equal differences, refusals, restarts',
      response: ChangePreview,
      handle: (context) => changeSets.preview(context.caller, context.path('id')),
    }),
    route('roll_out_change_set', 'POST /api/v1/config/change_sets/:id/rollout', {
      permission: configRollers,
      summary: 'Bring a change set into force, wave by wave',
      failures: {
        409: 'A layer has changed since, an access point refuses it, or another roll-out is under way there',
      },
      body: RolloutPlan,
      response: Rollout,
      async handle(context) {
        const { id } = await rolloutStart.start(context.caller, context.path('id'), context.body);
        return rollouts.get(context.caller, id);
      },
    }),
    route('list_rollouts', 'GET /api/v1/rollouts', {
      permission: configReaders,
      summary: 'List the roll-outs, newest first',
      query: page,
      response: RolloutPage,
      handle: ({ caller, query }) => rollouts.list(caller, pageOf(query)),
    }),
    route('get_rollout', 'GET /api/v1/rollouts/:id', {
      permission: configReaders,
      summary: 'Get a roll-out',
      response: Rollout,
      handle: (context) => rollouts.get(context.caller, context.path('id')),
    }),
    route('list_rollout_agents', 'GET /api/v1/rollouts/:id/agents', {
      permission: configReaders,
      summary: 'How each access point of a roll-out stands',
      query: page,
      response: RolloutAgentPage,
      handle: (context) => rollouts.agents(context.caller, context.path('id'), pageOf(context.query)),
    }),
    route('rollout_series', 'GET /api/v1/rollouts/:id/series', {
      permission: configReaders,
      summary: 'A metric at the access points that a roll-out has changed and at those that it has not',
      query: Type.Object({ metric: Type.String({ minLength: 1, maxLength: 128, description: 'Its name.' }) }),
      response: RolloutSeries,
      handle: (context) => rollouts.series(context.caller, context.path('id'), context.query.metric),
    }),
    word('pause_rollout', 'pause', 'Let no further access point get it for now'),
    word('resume_rollout', 'resume', 'Go on; what has failed so far is accepted'),
    word('revert_rollout', 'revert', 'Take it back, everywhere'),
    word('abort_rollout', 'abort', 'Give it up where it stands'),
    route('get_agent_config', 'GET /api/v1/agents/:ap_id/config', {
      permission: agentConfigReaders,
      summary: 'What an access point shall be, what it runs, how they differ, or why',
      query: Type.Object({
        view: Type.Optional.Enum(configViews, { default: 'desired', description: 'Which of these.' }),
      }),
      response: AgentConfigView,
      handle: (context) => agents.get(context.caller, context.path('ap_id'), context.query.view ?? 'desired'),
    }),
    route('apply_agent_config', 'POST /api/v1/agents/:ap_id/config/apply', {
      permission: configRollers,
      summary: 'Give an access point what it shall be again, also over what commands have set',
      response: AgentConfigView,
      handle: (context) => agents.apply(context.caller, context.path('ap_id')),
    }),
    route('adopt_agent_config', 'POST /api/v1/agents/:ap_id/config/adopt', {
      permission: configRollers,
      summary: 'Make what an access point runs otherwise a layer of its own',
      failures: { 409: 'It runs nothing otherwise' },
      body: Type.Object({ why: Type.String({ minLength: 1, maxLength: 200, format: 'label' }) }),
      response: AgentConfigView,
      handle: (context) => agents.adopt(context.caller, context.path('ap_id'), context.body.why),
    }),
    route('next_agent_config', 'GET /api/v1/agents/:ap_id/config/next', {
      permission: agentItself,
      summary: 'Get the settings that wait for the agent, or their confirmation; waits for one until the time is over',
      query: Type.Object({
        wait: Type.Optional.Integer({ minimum: 0, maximum: 60, default: 0, description: 'Seconds.' }),
      }),
      holdsOpen: true,
      response: ConfigNext,
      handle: ({ query, caller, request }) =>
        whileConnected(request, async (gone) => ({
          next: (await delivery.next(requireAgent(caller), (query.wait ?? 0) * 1000, gone)) ?? null,
        })),
    }),
    route('report_running_config', 'POST /api/v1/agents/:ap_id/config/running', {
      permission: agentItself,
      changesNothing: true,
      summary: 'Say which settings the agent runs',
      body: ConfigRunning,
      response: ConfigNext,
      handle: async ({ caller, body }) => ({
        next: (await delivery.heard(requireAgent(caller), { type: 'config_running', ...body }, randomUUID())) ?? null,
      }),
    }),
    route('answer_config', 'POST /api/v1/agents/:ap_id/config/:id/result', {
      permission: agentItself,
      changesNothing: true,
      summary: 'Say the result of settings that the agent was given',
      body: ConfigResult,
      response: ConfigNext,
      async handle(context) {
        const result = { type: 'config_result' as const, id: context.path('id'), ...context.body };
        return { next: (await delivery.heard(requireAgent(context.caller), result, randomUUID())) ?? null };
      },
    }),
  ];
}
