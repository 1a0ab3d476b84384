// Operations on alarm rules and silences.
import { Page } from '@weft/contract';
import { AlarmPreview, AlarmRule, AlarmRuleInput, Silence, SilenceInput } from '@weft/contract/operations';
import * as Type from '@weft/contract/schema';
import { adminsAndManagers, adminsOnly, networkReaders, usersOnly } from '../../../core/base/rights/permission.ts';
import { resourceRoutes } from '../../../core/http/request/resource-routes.ts';
import { type Route, routesOf } from '../../../core/http/request/route.ts';
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
  const preview = route('preview_alarm_rule', 'POST /api/v1/alarm_rules/preview', {
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
  });
  const reset = route('reset_alarm_rule', 'POST /api/v1/alarm_rules/:rule_id/reset', {
    permission: adminsOnly,
    summary: 'Restore the original of a rule that comes with Weft',
    failures: { 409: 'The rule did not come with Weft' },
    response: AlarmRule,
    handle: (context) => rules.reset(context.path('rule_id'), context.caller),
  });
  return [
    ...resourceRoutes({
      tag: 'Alarms',
      name: 'alarm_rule',
      at: '/api/v1/alarm_rules/:rule_id',
      records: rules,
      schemas: { input: AlarmRuleInput, shown: AlarmRule, listed: AlarmRuleList },
      read: networkReaders,
      change: adminsOnly,
      verbs: {
        list: 'List the rules by which alarms of access points fire that the caller may see',
        create: {
          summary: 'Create a rule; it is evaluated from now on',
          failures: { 409: 'A rule with this name exists', 429: 'There are too many rules' },
        },
        get: 'Get a rule',
        update: {
          summary: 'Replace a rule; disabling it clears its alarms',
          failures: { 409: 'Another rule has this name' },
        },
        remove: 'Delete a rule and clear its alarms',
      },
      removed: 'The rule has been deleted',
    })
      .toSpliced(4, 0, reset)
      .toSpliced(2, 0, preview),
    ...resourceRoutes({
      tag: 'Alarms',
      name: 'silence',
      at: '/api/v1/silences/:silence_id',
      records: silences,
      schemas: { input: SilenceInput, shown: Silence, listed: SilenceList },
      read: usersOnly,
      change: adminsAndManagers,
      verbs: {
        list: 'List the silences and maintenance windows of access points that the caller may see',
        create: {
          summary: 'Create a silence, once or weekly: alarms are listed, but nobody is told of them',
          failures: { 429: 'There are too many silences' },
        },
        get: 'Get a silence',
        update: 'Replace a silence',
        remove: 'Delete a silence: what is firing is told from now on',
      },
      removed: 'The silence has been deleted',
    }),
  ];
}
