// Operations on incidents: list them, look at one, and handle all alarms of one.
import {
  Diagnosis,
  Incident,
  IncidentDetails,
  IncidentPage,
  IncidentSilence,
  type IncidentState,
} from '@weft/contract/operations';
import * as Type from '@weft/contract/schema';
import { alarmHandlers, fleetReaders } from '../../core/base/rights/permission.ts';
import { type Route, routesOf } from '../../core/http/request/route.ts';
import type { DiagnosisService } from './diagnosis/diagnosis-service.ts';
import type { IncidentService } from './incident-service.ts';

const route = routesOf('Incidents');
const ended = { 409: 'All alarms of the incident have cleared' };

export function incidentRoutes(incidents: IncidentService, diagnoses: DiagnosisService): Route[] {
  return [
    route('list_incidents', 'GET /api/v1/incidents', {
      permission: fleetReaders,
      summary: 'List incidents: alarms that belong together, as far as the caller may see them; newest first',
      query: Type.Object({
        state: Type.Optional.String({
          pattern: '^(open|acknowledged|ended)(,(open|acknowledged|ended)){0,5}$',
          description: 'Any of open, acknowledged and ended, separated by commas.',
        }),
        selector: Type.Optional.String({
          format: 'selector',
          maxLength: 1000,
          description: 'Those about one of these access points, by `site:`, `tag:`, `name:` and `type:`.',
        }),
        window: Type.Optional.String({
          format: 'time-window',
          maxLength: 40,
          description: 'Those that were open within the last minutes, or `90m`, `24h`, `7d`. Default: all.',
        }),
        cursor: Type.Optional.String({ minLength: 1, maxLength: 256, description: '`next` of the page before.' }),
        limit: Type.Optional.Integer({ minimum: 1, maximum: 200, default: 50 }),
      }),
      response: IncidentPage,
      handle: ({ query: { state, selector, window, cursor, limit }, caller }) =>
        incidents.list(caller, {
          states: state?.split(',') as IncidentState[] | undefined,
          selector,
          window,
          cursor,
          limit: limit!,
        }),
    }),
    route('get_incident', 'GET /api/v1/incidents/:incident_id', {
      permission: fleetReaders,
      summary: 'Get an incident, by its id or that of any of its alarms: with its timeline and a diagnosis',
      response: IncidentDetails,
      handle: (context) => incidents.get(context.path('incident_id'), context.caller),
    }),
    route('acknowledge_incident', 'POST /api/v1/incidents/:incident_id/acknowledge', {
      permission: alarmHandlers,
      summary: 'Acknowledge the alarms of an incident: somebody looks after it',
      failures: ended,
      response: Incident,
      handle: (context) => incidents.acknowledge(context.path('incident_id'), context.caller),
    }),
    route('silence_incident', 'POST /api/v1/incidents/:incident_id/silence', {
      permission: alarmHandlers,
      summary: 'Shelve the alarms of an incident: nobody is told of them until then',
      failures: ended,
      body: IncidentSilence,
      response: Incident,
      handle: (context) => incidents.silence(context.path('incident_id'), context.body.until, context.caller),
    }),
    route('diagnose_alarm', 'GET /api/v1/alarms/:alarm_id/diagnosis', {
      permission: fleetReaders,
      summary: 'What is known of the cause of an alarm: evidence as numbers, and what could be done',
      response: Diagnosis,
      handle: (context) => diagnoses.diagnose(context.path('alarm_id'), context.caller),
    }),
  ];
}
