// Devices: what attaches to access points, as agents report it and as callers see it.

import { Page, pageFields } from './answers.ts';
import * as Type from './schema/schema.ts';

/** The longest lists that a report may have. */
export const maxDevicesPerReport = 2_000;
export const maxHeardPerDevice = 8;
export const maxIdentityLength = 128;
/** The name of a device in Weft: a keyed pseudonym of the identity that agents report. */
export const devicePattern = '^dev-[a-z2-7]{16}$';

const Nullable = (description: string) => Type.OrNull(Type.Number(), { description });
const Time = (description: string) => Type.String({ format: 'date-time', description });

export const HeardAccessPoint = Type.Named('HeardAccessPoint', {
  ap_id: Type.Optional.String({ description: 'If it is an access point of this network.' }),
  bssid: Type.Optional.String({ description: 'If only the address of its radio is known.' }),
  rssi_dbm: Nullable('How strongly the device hears it.'),
  by: Type.String({ description: 'The ap_id of the access point that reported it.' }),
});
export type HeardAccessPoint = Type.Static<typeof HeardAccessPoint>;

export const DeviceLink = Type.Named('DeviceLink', {
  ap_id: Type.String(),
  access_point_type: Type.OrNull(Type.String()),
  rssi_dbm: Nullable('The signal, as the access point hears the device.'),
  snr_db: Nullable('The ratio of signal to noise.'),
  rx_mbps: Nullable('The rate from the device.'),
  tx_mbps: Nullable('The rate to the device.'),
  since: Time('When it joined this access point.'),
  seen: Time('The time of the newest list of this access point with the device in it.'),
  address: Type.Optional.String({
    description:
      'The identity as this access point reports it. Only for administrators, while clear addresses are allowed.',
  }),
});
export type DeviceLink = Type.Static<typeof DeviceLink>;

const deviceFields = {
  device: Type.String({
    pattern: devicePattern,
    description: 'The pseudonym: the same as long as the installation keeps its key.',
  }),
  technologies: Type.Array(Type.String(), { description: 'Those of its links, each once.' }),
  links: Type.Array(DeviceLink, {
    description: 'The access points that it is attached to now, as far as the caller may see them; strongest first.',
  }),
  heard: Type.Array(HeardAccessPoint, { description: 'The access points around it, strongest first.' }),
  randomised: Type.Boolean({
    description: 'Whether it uses an address that was made up, and may come back under another one.',
  }),
  last_seen: Time('The time of the newest list with it.'),
  last_ap_id: Type.OrNull(Type.String(), {
    description: 'Where it was last, if the caller may see that; also while it is not attached.',
  }),
  sticky: Type.Optional.Object(
    {
      until: Time('It is remembered until then.'),
      reason: Type.Enum(['refused', 'moved_back']),
      target: Type.Optional.String({ description: 'The ap_id where it would not stay, if the caller may see it.' }),
    },
    { description: 'It refused to be moved, or went back at once: steering it is of little use for now.' },
  ),
  identities: Type.Optional.Array(Type.String(), {
    description: 'Pseudonyms that an administrator linked to this device.',
  }),
  watched_until: Type.Optional(Time('Its history is kept until then.')),
};

export const Device = Type.Object(deviceFields, { title: 'Device' });
export type Device = Type.Static<typeof Device>;

export const DeviceMove = Type.Named('DeviceMove', {
  ts: Time('When it happened.'),
  kind: Type.Enum(['joined', 'left', 'moved']),
  ap_id: Type.String({ description: 'The access point that it joined or left.' }),
  from: Type.Optional.String({ description: 'Where it came from, if the caller may see that.' }),
});
export type DeviceMove = Type.Static<typeof DeviceMove>;

export const SteeringAttempt = Type.Named('SteeringAttempt', {
  ts: Time('When it ended.'),
  ap_id: Type.String({ description: 'The access point that it was attached to.' }),
  target: Type.Optional.String({ description: 'Where it was to go, if the caller may see that.' }),
  outcome: Type.Enum(['moved', 'refused', 'unreachable', 'ignored']),
  command_id: Type.String(),
});
export type SteeringAttempt = Type.Static<typeof SteeringAttempt>;

export const DeviceDetails = Type.Named('DeviceDetails', {
  ...deviceFields,
  moves: Type.Array(DeviceMove, { description: 'The newest of the last 24 hours, newest first.' }),
  steering: Type.Array(SteeringAttempt, { description: 'The newest attempts to move it, newest first.' }),
});
export type DeviceDetails = Type.Static<typeof DeviceDetails>;

export const DevicePage = Type.Named('DevicePage', {
  ...pageFields(Device),
  count: Type.Optional.Integer({ description: 'How many match, if it was asked for.' }),
});
export type DevicePage = Type.Static<typeof DevicePage>;

const AgentDevice = Type.Named('AgentDevice', {
  ...deviceFields,
  device: Type.Optional.String({ pattern: devicePattern, description: 'The pseudonym; never in answers to agents.' }),
});

export const AgentDevices = Type.Named('AgentDevices', {
  ...pageFields(AgentDevice),
  reported_at: Type.OrNull(Time('The time of the newest list of this access point.'), {
    description: 'Null: it has never said which devices it serves. They are unknown, not none.',
  }),
});
export type AgentDevices = Type.Static<typeof AgentDevices>;

export const DeviceWatchRequest = Type.Named('DeviceWatchRequest', {
  expires_in: Type.Optional.Integer({
    minimum: 60,
    maximum: 604_800,
    default: 86_400,
    description: 'Seconds. At most a week.',
  }),
});
export type DeviceWatchRequest = Type.Static<typeof DeviceWatchRequest>;

export const DeviceIdentityLink = Type.Named('DeviceIdentityLink', {
  identity: Type.String({
    minLength: 1,
    maxLength: maxIdentityLength,
    description: 'Another pseudonym, or the name of an emulated device.',
  }),
});
export type DeviceIdentityLink = Type.Static<typeof DeviceIdentityLink>;

export const DevicePrivacy = Type.Named('DevicePrivacy', {
  clear_addresses: Type.Boolean({
    description:
      'Whether administrators see the identities of devices as they are reported, and requests may use them.',
  }),
});
export type DevicePrivacy = Type.Static<typeof DevicePrivacy>;

export const DeviceHistoryPage = Page(
  Type.Object({
    ts: Time('When it was reported.'),
    ap_id: Type.String({ description: 'The access point that served it.' }),
    rssi_dbm: Type.Optional.Number(),
    snr_db: Type.Optional.Number(),
    rx_mbps: Type.Optional.Number(),
    tx_mbps: Type.Optional.Number(),
  }),
  'DeviceHistoryPage',
  { items: 'Oldest first.', next: 'Send it as `since` for the next page; null at the end.' },
);
export type DeviceHistoryPage = Type.Static<typeof DeviceHistoryPage>;
