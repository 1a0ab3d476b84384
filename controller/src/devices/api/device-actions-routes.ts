// Operations that change what is kept about single devices.
import {
  Device,
  DeviceHistoryPage,
  DeviceIdentityLink,
  DevicePrivacy,
  DeviceWatchRequest,
  StatusAnswer,
} from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { type Route, route, success } from '../../http/request/route.ts';
import { adminsAndAuditors, adminsOnly, fleetReaders, type Permission } from '../../rights/permission.ts';
import type { DeviceActionsService } from './device-actions-service.ts';

/** `own`: devices of access points that the caller may see. */
const deviceWatchers: Permission = { admin: 'yes', user: 'own', agent: 'no', third_party_app: 'read' };

const tag = 'Devices';
const defaultWatchSeconds = 86_400;

export function deviceActionsRoutes(care: DeviceActionsService): Route[] {
  return [
    route({
      operation: 'watch_device',
      permission: deviceWatchers,
      method: 'POST',
      url: '/api/v1/devices/:device/watch',
      tag,
      summary: 'Keep the history of a device for a while: signal, rates, serving access point',
      description: 'At most 1,000 devices at once, 200 of one caller. A repeat prolongs it.',
      failures: { 409: 'Too many devices are watched' },
      body: DeviceWatchRequest,
      response: Device,
      handle: (context) =>
        care.watch(context.caller, context.path('device'), context.body.expires_in ?? defaultWatchSeconds),
    }),
    route({
      operation: 'unwatch_device',
      permission: deviceWatchers,
      method: 'DELETE',
      url: '/api/v1/devices/:device/watch',
      tag,
      summary: 'End the watch of a device; its history is removed',
      response: Device,
      handle: (context) => care.unwatch(context.caller, context.path('device')),
    }),
    route({
      operation: 'device_history',
      permission: fleetReaders,
      method: 'GET',
      url: '/api/v1/devices/:device/history',
      tag,
      summary: 'What was kept of a watched device, oldest first',
      query: Type.Object({
        since: Type.Optional(
          Type.String({
            format: 'date-time',
            description: 'From this moment on. Default: an hour before it was seen last.',
          }),
        ),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 5000, default: 1000 })),
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
    route({
      operation: 'link_device_identity',
      permission: adminsOnly,
      method: 'POST',
      url: '/api/v1/devices/:device/identities',
      tag,
      summary: 'Say that another name is this device too: from now on they are one',
      failures: { 409: 'They are one already, or too many are linked' },
      body: DeviceIdentityLink,
      response: Device,
      handle: (context) => care.link(context.caller, context.path('device'), context.body.identity),
    }),
    route({
      operation: 'erase_device',
      permission: adminsOnly,
      method: 'DELETE',
      url: '/api/v1/devices/:device',
      tag,
      summary: 'Erase everything about a device',
      description:
        'Links, moves, history, identities; in commands, their jobs and results `erased` stands in place of its pseudonym, and those that are open end. Entries of the audit log, which cannot be changed, keep the pseudonym. A device that is still attached comes back with the next report.',
      response: StatusAnswer,
      handle: async (context) => {
        await care.erase(context.caller, context.path('device'));
        return success('The device has been erased');
      },
    }),
    route({
      operation: 'get_device_privacy',
      permission: adminsAndAuditors,
      method: 'GET',
      url: '/api/v1/device_privacy',
      tag,
      summary: 'Whether administrators see the addresses of devices',
      response: DevicePrivacy,
      handle: () => care.privacy(),
    }),
    route({
      operation: 'set_device_privacy',
      permission: adminsOnly,
      method: 'PUT',
      url: '/api/v1/device_privacy',
      tag,
      summary: 'Allow or forbid clear addresses of devices: in answers to administrators, and in requests',
      description: 'Whatever is stored has pseudonyms all the same.',
      body: DevicePrivacy,
      response: DevicePrivacy,
      handle: ({ body, caller }) => care.setPrivacy(caller, body),
    }),
  ];
}
