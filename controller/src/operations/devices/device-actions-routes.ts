// Operations that change what is kept about single devices.
import { Device, DeviceHistoryPage, DeviceIdentityLink, DevicePrivacy, DeviceWatchRequest } from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { adminsAndAuditors, adminsOnly, networkReaders, type Permission } from '../../core/base/rights/permission.ts';
import { done, type Route, routesOf } from '../../core/http/request/route.ts';
import type { DeviceActionsService } from './device-actions-service.ts';

/** `own`: devices of access points that the caller may see. */
const deviceWatchers: Permission = { admin: 'yes', user: 'own', agent: 'no', third_party_app: 'read' };

const route = routesOf('Devices');
const defaultWatchSeconds = 86_400;

export function deviceActionsRoutes(care: DeviceActionsService): Route[] {
  return [
    route('watch_device', 'POST /api/v1/devices/:device/watch', {
      permission: deviceWatchers,
      summary: 'Keep the history of a device for a while: signal, rates, serving access point',
      description:
        'At most 1,000 devices at once, 200 of one caller. A watch is its maker’s: they and administrators may set another end, everybody else a later one only.',
      failures: { 409: 'Too many devices are watched, or it is somebody else’s watch and would end earlier' },
      body: DeviceWatchRequest,
      response: Device,
      handle: (context) =>
        care.watch(context.caller, context.path('device'), context.body.expires_in ?? defaultWatchSeconds),
    }),
    route('unwatch_device', 'DELETE /api/v1/devices/:device/watch', {
      permission: deviceWatchers,
      summary: 'End the watch of a device; its history is removed',
      failures: { 409: 'It is somebody else’s watch' },
      response: Device,
      handle: (context) => care.unwatch(context.caller, context.path('device')),
    }),
    route('device_history', 'GET /api/v1/devices/:device/history', {
      permission: networkReaders,
      summary: 'What was kept of a watched device, oldest first',
      query: Type.Object({
        since: Type.Optional.String({
          format: 'date-time',
          description: 'From this moment on. Default: an hour before it was seen last.',
        }),
        limit: Type.Optional.Integer({ minimum: 1, maximum: 5000, default: 1000 }),
      }),
      response: DeviceHistoryPage,
      handle: (context) => {
        const { since, limit } = context.query;
        return care.history(context.caller, context.path('device'), {
          since: since === undefined ? undefined : Date.parse(since),
          limit: limit!,
        });
      },
    }),
    route('link_device_identity', 'POST /api/v1/devices/:device/identities', {
      permission: adminsOnly,
      summary: 'Say that another name is this device too: from now on they are one',
      failures: { 409: 'They are one already, or too many are linked' },
      body: DeviceIdentityLink,
      response: Device,
      handle: (context) => care.link(context.caller, context.path('device'), context.body.identity),
    }),
    route('erase_device', 'DELETE /api/v1/devices/:device', {
      permission: adminsOnly,
      summary: 'Erase everything about a device',
      description:
        'Links, moves, history, identities; in commands, their jobs and results `erased` stands in place of its pseudonym, and those that are open end. Entries of the audit log, which cannot be changed, keep the pseudonym. A device that is still attached comes back with the next report.',
      ...done('The device has been erased', (context) => care.erase(context.caller, context.path('device'))),
    }),
    route('get_device_privacy', 'GET /api/v1/device_privacy', {
      permission: adminsAndAuditors,
      summary: 'Whether administrators see the addresses of devices',
      response: DevicePrivacy,
      handle: () => care.privacy(),
    }),
    route('set_device_privacy', 'PUT /api/v1/device_privacy', {
      permission: adminsOnly,
      summary: 'Allow or forbid clear addresses of devices: in answers to administrators, and in requests',
      description: 'Whatever is stored has pseudonyms all the same.',
      body: DevicePrivacy,
      response: DevicePrivacy,
      handle: ({ body, caller }) => care.setPrivacy(caller, body),
    }),
  ];
}
