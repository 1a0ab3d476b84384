// Operations on alarm rules and silences.
import { Page } from '@weft/contract';
import { AlarmPreview, AlarmRule, AlarmRuleInput, Silence, SilenceInput } from '@weft/contract/operations';
import * as Type from '@weft/contract/schema';
import { adminsAndManagers, adminsOnly, networkReaders, usersOnly } from '../../../core/base/rights/permission.ts';
import { done, type Route, routesOf } from '../../../core/http/request/route.ts';
import type { AlarmRuleService } from './alarm-rule-service.ts';
import type { PreviewService } from './preview-service.ts';
import type { SilenceService } from './silence-service.ts';

const route = routesOf('Alarms');
const AlarmRuleList = Page(AlarmRule, 'AlarmRuleList');
const SilenceList = Page(Silence, 'SilenceList');

interface Services {
  rules: AlarmRuleService;
  silences: SilenceService;
  previews: PreviewService;
}

export function alarmRuleRoutes({ rules, silences, previews }: Services): Route[] {
  return [
    route('list_alarm_rules', 'GET /api/v1/alarm_rules', {
      permission: networkReaders,
      summary: 'List the rules by which alarms of access points fire that the caller may see',
      response: AlarmRuleList,
      handle: ({ caller }) => rules.list(caller),
    }),
    route('create_alarm_rule', 'POST /api/v1/alarm_rules', {
      permission: adminsOnly,
      summary: 'Create a rule; it is evaluated from now on',
      failures: { 409: 'A rule with this name exists', 429: 'There are too many rules' },
      body: AlarmRuleInput,
      response: AlarmRule,
      handle: ({ body, caller }) => rules.create(body, caller),
    }),
    route('preview_alarm_rule', 'POST /api/v1/alarm_rules/preview', {
      permission: adminsOnly,
      summary: 'Say when a rule on metrics would have fired; nothing is stored',
      failures: { 429: 'Other previews are under way' },
      query: Type.Object({
        window: Type.Optional.Integer({
          minimum: 1,
          maximum: 168,
          default: 24,
          description: 'How far back, in hours.',
        }),
      }),
      body: AlarmRuleInput,
      changesNothing: true,
      response: AlarmPreview,
      handle: ({ caller, query, body }) => previews.preview(caller, body, query.window!),
    }),
    route('get_alarm_rule', 'GET /api/v1/alarm_rules/:rule_id', {
      permission: networkReaders,
      summary: 'Get a rule',
      response: AlarmRule,
      handle: (context) => rules.get(context.path('rule_id'), context.caller),
    }),
    route('update_alarm_rule', 'PUT /api/v1/alarm_rules/:rule_id', {
      permission: adminsOnly,
      summary: 'Replace a rule; disabling it clears its alarms',
      failures: { 409: 'Another rule has this name' },
      body: AlarmRuleInput,
      response: AlarmRule,
      handle: (context) => rules.replace(context.path('rule_id'), context.body, context.caller),
    }),
    route('reset_alarm_rule', 'POST /api/v1/alarm_rules/:rule_id/reset', {
      permission: adminsOnly,
      summary: 'Restore the original of a rule that comes with Weft',
      failures: { 409: 'The rule did not come with Weft' },
      response: AlarmRule,
      handle: (context) => rules.reset(context.path('rule_id'), context.caller),
    }),
    route('remove_alarm_rule', 'DELETE /api/v1/alarm_rules/:rule_id', {
      permission: adminsOnly,
      summary: 'Delete a rule and clear its alarms',
      ...done('The rule has been deleted', (context) => rules.remove(context.path('rule_id'), context.caller)),
    }),
    route('list_silences', 'GET /api/v1/silences', {
      permission: usersOnly,
      summary: 'List the silences and maintenance windows of access points that the caller may see',
      response: SilenceList,
      handle: ({ caller }) => silences.list(caller),
    }),
    route('create_silence', 'POST /api/v1/silences', {
      permission: adminsAndManagers,
      summary: 'Create a silence, once or weekly: alarms are listed, but nobody is told of them',
      failures: { 429: 'There are too many silences' },
      body: SilenceInput,
      response: Silence,
      handle: ({ body, caller }) => silences.create(body, caller),
    }),
    route('get_silence', 'GET /api/v1/silences/:silence_id', {
      permission: usersOnly,
      summary: 'Get a silence',
      response: Silence,
      handle: (context) => silences.get(context.path('silence_id'), context.caller),
    }),
    route('update_silence', 'PUT /api/v1/silences/:silence_id', {
      permission: adminsAndManagers,
      summary: 'Replace a silence',
      body: SilenceInput,
      response: Silence,
      handle: (context) => silences.replace(context.path('silence_id'), context.body, context.caller),
    }),
    route('remove_silence', 'DELETE /api/v1/silences/:silence_id', {
      permission: adminsAndManagers,
      summary: 'Delete a silence: what is firing is told from now on',
      ...done('The silence has been deleted', (context) => silences.remove(context.path('silence_id'), context.caller)),
    }),
  ];
}
