// Operations on alarm rules and silences.
import { AlarmPreview, AlarmRule, AlarmRuleInput, Page, Silence, SilenceInput, StatusAnswer } from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { type Route, route, success } from '../../http/request/route.ts';
import { adminsAndManagers, adminsOnly, usersAndApps, usersOnly } from '../../rights/permission.ts';
import type { AlarmRuleService } from './alarm-rule-service.ts';
import type { PreviewService } from './preview-service.ts';
import type { SilenceService } from './silence-service.ts';

const tag = 'Alarms';
const AlarmRuleList = Page(AlarmRule, 'AlarmRuleList');
const SilenceList = Page(Silence, 'SilenceList');

interface Services {
  rules: AlarmRuleService;
  silences: SilenceService;
  previews: PreviewService;
}

export function alarmRuleRoutes({ rules, silences, previews }: Services): Route[] {
  return [
    route({
      operation: 'list_alarm_rules',
      permission: usersAndApps,
      method: 'GET',
      url: '/api/v1/alarm_rules',
      tag,
      summary: 'List the rules by which alarms of access points fire that the caller may see',
      response: AlarmRuleList,
      handle: ({ caller }) => rules.list(caller),
    }),
    route({
      operation: 'create_alarm_rule',
      permission: adminsOnly,
      method: 'POST',
      url: '/api/v1/alarm_rules',
      tag,
      summary: 'Create a rule; it is evaluated from now on',
      failures: { 409: 'A rule with this name exists', 429: 'There are too many rules' },
      body: AlarmRuleInput,
      response: AlarmRule,
      handle: ({ body, caller }) => rules.create(body, caller),
    }),
    route({
      operation: 'preview_alarm_rule',
      permission: adminsOnly,
      method: 'POST',
      url: '/api/v1/alarm_rules/preview',
      tag,
      summary: 'Say when a rule on metrics would have fired; nothing is stored',
      failures: { 429: 'Other previews are under way' },
      query: Type.Object({
        window: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 168, default: 24, description: 'How far back, in hours.' }),
        ),
      }),
      body: AlarmRuleInput,
      changesNothing: true,
      response: AlarmPreview,
      handle: ({ query, body }) => previews.preview(body, query.window!),
    }),
    route({
      operation: 'get_alarm_rule',
      permission: usersAndApps,
      method: 'GET',
      url: '/api/v1/alarm_rules/:rule_id',
      tag,
      summary: 'Get a rule',
      response: AlarmRule,
      handle: (context) => rules.get(context.path('rule_id'), context.caller),
    }),
    route({
      operation: 'update_alarm_rule',
      permission: adminsOnly,
      method: 'PUT',
      url: '/api/v1/alarm_rules/:rule_id',
      tag,
      summary: 'Replace a rule; disabling it clears its alarms',
      failures: { 409: 'Another rule has this name' },
      body: AlarmRuleInput,
      response: AlarmRule,
      handle: (context) => rules.replace(context.path('rule_id'), context.body, context.caller),
    }),
    route({
      operation: 'reset_alarm_rule',
      permission: adminsOnly,
      method: 'POST',
      url: '/api/v1/alarm_rules/:rule_id/reset',
      tag,
      summary: 'Make a rule that comes with Weft as it came',
      failures: { 409: 'The rule did not come with Weft' },
      response: AlarmRule,
      handle: (context) => rules.reset(context.path('rule_id'), context.caller),
    }),
    route({
      operation: 'remove_alarm_rule',
      permission: adminsOnly,
      method: 'DELETE',
      url: '/api/v1/alarm_rules/:rule_id',
      tag,
      summary: 'Delete a rule and clear its alarms',
      response: StatusAnswer,
      async handle(context) {
        await rules.remove(context.path('rule_id'), context.caller);
        return success('The rule has been deleted');
      },
    }),
    route({
      operation: 'list_silences',
      permission: usersOnly,
      method: 'GET',
      url: '/api/v1/silences',
      tag,
      summary: 'List the silences and maintenance windows of access points that the caller may see',
      response: SilenceList,
      handle: ({ caller }) => silences.list(caller),
    }),
    route({
      operation: 'create_silence',
      permission: adminsAndManagers,
      method: 'POST',
      url: '/api/v1/silences',
      tag,
      summary: 'Create a silence, once or weekly: alarms are listed, but nobody is told of them',
      failures: { 429: 'There are too many silences' },
      body: SilenceInput,
      response: Silence,
      handle: ({ body, caller }) => silences.create(body, caller),
    }),
    route({
      operation: 'get_silence',
      permission: usersOnly,
      method: 'GET',
      url: '/api/v1/silences/:silence_id',
      tag,
      summary: 'Get a silence',
      response: Silence,
      handle: (context) => silences.get(context.path('silence_id'), context.caller),
    }),
    route({
      operation: 'update_silence',
      permission: adminsAndManagers,
      method: 'PUT',
      url: '/api/v1/silences/:silence_id',
      tag,
      summary: 'Replace a silence',
      body: SilenceInput,
      response: Silence,
      handle: (context) => silences.replace(context.path('silence_id'), context.body, context.caller),
    }),
    route({
      operation: 'remove_silence',
      permission: adminsAndManagers,
      method: 'DELETE',
      url: '/api/v1/silences/:silence_id',
      tag,
      summary: 'Delete a silence: what is firing is told from now on',
      response: StatusAnswer,
      async handle(context) {
        await silences.remove(context.path('silence_id'), context.caller);
        return success('The silence has been deleted');
      },
    }),
  ];
}
