// Operations that read devices: what attaches to access points.
import { AgentDevices, DeviceDetails, DevicePage, selectorText } from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { agentReaders, networkReaders } from '../../core/base/rights/permission.ts';
import { type Route, routesOf } from '../../core/http/request/route.ts';
import type { DeviceService } from './device-service.ts';
import { deviceSorts } from './device-sorting.ts';

const route = routesOf('Devices');
const paging = {
  cursor: Type.Optional.String({ maxLength: 256, description: '`next` of the page before.' }),
  limit: Type.Optional.Integer({ minimum: 1, maximum: 1000, default: 100 }),
};

export function deviceRoutes(devices: DeviceService): Route[] {
  return [
    route('list_devices', 'GET /api/v1/devices', {
      permission: networkReaders,
      summary: 'List the devices of the access points that the caller may see, page by page',
      description:
        'By default in the order of their pseudonyms: whoever comes or goes, nothing is skipped or repeated. In any other order pages are of the moment of the first one, for a minute. A device stays for 24 hours after it was seen last. On several nodes an answer may be 10 seconds late.',
      query: Type.Object({
        selector: Type.Optional(
          selectorText('Devices that are attached to, or were last seen at, access points that match.'),
        ),
        search: Type.Optional.String({
          maxLength: 200,
          description:
            'In the pseudonym, or in the ap_id, display name, site or type of an access point that it is attached to. Addresses are refused.',
        }),
        sort: Type.Optional.String({
          maxLength: 32,
          default: 'device',
          description: `${deviceSorts.join(', ')}; after - for the largest first. Of the strongest link; who has none stands last.`,
        }),
        ...paging,
        cursor: Type.Optional.String({ maxLength: 1024, description: '`next` of the page before.' }),
        count: Type.Optional.Boolean({ description: 'Add how many match.' }),
      }),
      response: DevicePage,
      handle: ({ query: { selector = '', search, sort, cursor, limit, count = false }, caller }) =>
        devices.list(caller, { selector, search, sort, cursor, limit: limit!, count }),
    }),
    route('get_device', 'GET /api/v1/devices/:device', {
      permission: networkReaders,
      summary: 'Get a device: its links on all technologies, what it hears, its moves',
      response: DeviceDetails,
      handle: (context) => devices.get(context.caller, context.path('device')),
    }),
    route('list_agent_devices', 'GET /api/v1/agents/:ap_id/devices', {
      permission: agentReaders,
      summary: 'List the devices that are attached to an access point now',
      description: 'Agents get no pseudonyms: whoever can report any address would learn which one it has.',
      query: Type.Object(paging),
      response: AgentDevices,
      handle: (context) => {
        const { cursor, limit } = context.query;
        return devices.ofAgent(context.caller, context.path('ap_id'), { cursor, limit: limit! });
      },
    }),
  ];
}
