// Operations on alarms: list them, and handle them.
import { type AlarmSeverity, Page, StatusAnswer } from '@weft/contract';
import { Alarm, AlarmKey, AlarmNote, AlarmRaise, AlarmShelf, type AlarmState } from '@weft/contract/operations';
import * as Type from '@weft/contract/schema';
import { alarmHandlers, alarmRaisers, fleetReaders } from '../../../core/base/rights/permission.ts';
import { type Route, routesOf, success } from '../../../core/http/request/route.ts';
import type { AlarmService } from './alarm-service.ts';
import type { AppAlarmService } from './app-alarm-service.ts';

const route = routesOf('Alarms');
const Moment = (description: string) => Type.Optional.String({ format: 'date-time', description });
const words = (list: string, description: string) =>
  Type.Optional.String({
    pattern: `^(${list})(,(${list})){0,5}$`,
    description: `${description}, separated by commas.`,
  });

const AlarmPage = Page(Alarm, 'AlarmPage', {
  next: 'Send it as `cursor` for the next page; null at the end. A page before the end may be short or empty.',
});
const cleared = { 409: 'The alarm has cleared already' };
const handling = { permission: alarmHandlers, failures: cleared, response: Alarm };

export function alarmRoutes(alarms: AlarmService, ofApps: AppAlarmService): Route[] {
  return [
    route('list_alarms', 'GET /api/v1/alarms', {
      permission: fleetReaders,
      summary: 'List alarms of the access points that the caller may see, newest or worst first',
      query: Type.Object({
        state: words('firing|acknowledged|cleared', 'Any of firing, acknowledged and cleared'),
        severity: words('critical|major|minor|warning', 'Any of critical, major, minor and warning'),
        selector: Type.Optional.String({
          format: 'selector',
          maxLength: 1000,
          description: 'By `site:`, `tag:`, `name:` and `type:`.',
        }),
        agent: Type.Optional.String({ format: 'agent-name', minLength: 1, maxLength: 512, description: 'The ap_id.' }),
        rule_id: Type.Optional.String({ minLength: 1, maxLength: 64, description: 'Only alarms of this rule.' }),
        shelved: Type.Optional.Boolean({ description: 'Only those that are shelved, or not.' }),
        caused: Type.Optional.Boolean({
          description: 'Only those that follow from another alarm, or the causes alone.',
        }),
        sort: Type.Optional.Enum(['newest', 'severity'], {
          default: 'newest',
          description: '`severity`: the worst first, then the newest.',
        }),
        since: Moment('Fired from this moment on.'),
        until: Moment('Fired before this moment.'),
        cursor: Type.Optional.String({ minLength: 1, maxLength: 64, description: '`next` of the page before.' }),
        limit: Type.Optional.Integer({ minimum: 1, maximum: 500, default: 100 }),
      }),
      response: AlarmPage,
      handle: ({
        query: { state, severity, selector, agent, rule_id, shelved, caused, sort, since, until, cursor, limit },
        caller,
      }) =>
        alarms[sort === 'severity' ? 'listBySeverity' : 'list'](caller, {
          states: state?.split(',') as AlarmState[] | undefined,
          severities: severity?.split(',') as AlarmSeverity[] | undefined,
          selector,
          ap_id: agent,
          rule_id,
          shelved,
          caused,
          fromMs: since === undefined ? undefined : Date.parse(since),
          untilMs: until === undefined ? undefined : Date.parse(until),
          cursor,
          limit: limit!,
        }),
    }),
    route('raise_alarm', 'POST /api/v1/alarms/raise', {
      permission: alarmRaisers,
      summary: 'Raise an alarm of the app about an agent, or change its text; it stays until it is cleared',
      failures: {
        404: 'Agent not found, or not visible to the app',
        429: 'The app has raised too many within a minute, or too many of them are active',
      },
      body: AlarmRaise,
      response: Alarm,
      handle: ({ body, caller }) => ofApps.raise(body, caller),
    }),
    route('clear_raised_alarm', 'POST /api/v1/alarms/clear', {
      permission: alarmRaisers,
      summary: 'Clear the alarm of the app with this key, if one is active',
      body: AlarmKey,
      response: StatusAnswer,
      handle: async ({ body, caller }) =>
        success(
          (await ofApps.clear(body.key, caller)) ? 'The alarm has been cleared' : 'No alarm with this key is active',
        ),
    }),
    route('get_alarm', 'GET /api/v1/alarms/:alarm_id', {
      permission: fleetReaders,
      summary: 'Get an alarm',
      response: Alarm,
      handle: (context) => alarms.get(context.path('alarm_id'), context.caller),
    }),
    route('acknowledge_alarm', 'POST /api/v1/alarms/:alarm_id/acknowledge', {
      ...handling,
      summary: 'Acknowledge an alarm: somebody looks after it',
      body: AlarmNote,
      handle: (context) => alarms.acknowledge(context.path('alarm_id'), context.body.note, context.caller),
    }),
    route('shelve_alarm', 'POST /api/v1/alarms/:alarm_id/shelve', {
      ...handling,
      summary: 'Shelve an alarm: nobody is told of it until then',
      body: AlarmShelf,
      handle: (context) => alarms.shelve(context.path('alarm_id'), context.body, context.caller),
    }),
    route('unshelve_alarm', 'POST /api/v1/alarms/:alarm_id/unshelve', {
      ...handling,
      summary: 'End the shelving of an alarm',
      failures: { 409: 'The alarm is not shelved, or has cleared already' },
      handle: (context) => alarms.unshelve(context.path('alarm_id'), context.caller),
    }),
    route('clear_alarm', 'POST /api/v1/alarms/:alarm_id/clear', {
      ...handling,
      summary: 'Clear an alarm by hand; it fires again if its condition holds for its time again',
      body: AlarmNote,
      handle: (context) => alarms.clear(context.path('alarm_id'), context.body.note, context.caller),
    }),
  ];
}
