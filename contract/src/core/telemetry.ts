// What agents report, and the answer they get.
import { ignoredReasons } from './functions/ignored-reasons.ts';
import * as Type from './schema/schema.ts';

export const AgentUpdateRequest = Type.Record(Type.String(), Type.Unknown(), {
  title: 'AgentUpdateRequest',
  description:
    'Free-form. An array `samples` makes it a batch; else an object `payload` (or a text that is one in JSON) contains the fields; ' +
    'else the body itself does. `ap_id`, `ts`, `timestamp`, `time`, `configuration`, `geolocation` and `devices` are never fields. ' +
    'Numbers, booleans (1 and 0) and texts that are plain decimals (`"5"`, `"-0.25"`) are metrics; a text that is not exactly its number (`"1.20"`, `"00101"`) is kept as a text, unchanged; a name may have both. ' +
    '`configuration` and `geolocation` are merged into the agent’s own configuration; `devices` is the whole list of what is attached now, each ' +
    'with `device` and, where known, `rssi_dbm`, `snr_db`, `rx_mbps`, `tx_mbps`, `connected_seconds` and `heard`. What cannot be stored is left out and named ' +
    'in `ignored`. A text under the name of a credential (`password`, `wifi_password`, `apiKey`, `token`) is refused with 422 `credential_in_report`.',
});
export type AgentUpdateRequest = Type.Static<typeof AgentUpdateRequest>;

export const IgnoredField = Type.Named('IgnoredField', {
  field: Type.String({ description: 'The name that it would have had, cut to 256 characters.' }),
  reason: Type.Enum(Object.keys(ignoredReasons) as (keyof typeof ignoredReasons)[], {
    description:
      '`name`: longer than 256 characters, empty, or with a comma or a control character. `repeated`: another field of the sample has this name. `text`: a payload that ' +
      'is no object. `not_an_object`, `not_a_place`: a geolocation. `beside_payload`, `beside_samples`: the fields are inside of that key. ' +
      '`unreadable_time`: the sample of this time was not stored. ' +
      '`not_a_list`: devices, or what one hears. `no_device`: a device without an identity of 1 to 128 printable characters, or heard access ' +
      'points without a name. `not_a_number`: a value of a device. `too_many_devices`: Weft keeps no more of them. ' +
      '`too_many_new_devices`: more have joined this access point than it may report for now; they count once they are reported later. ' +
      '`too_many_changes`: a configuration that differs from the last one, after 60 changes at once and one in 5 s.',
  }),
});
export type IgnoredField = Type.Static<typeof IgnoredField>;

export const AgentUpdateAnswer = Type.Named('AgentUpdateAnswer', {
  status: Type.Literal('success'),
  detail: Type.String(),
  accepted: Type.Integer({
    description: 'The number of stored samples, without those in `merged`; 0 if no field could be stored.',
  }),
  merged: Type.Optional.Integer({
    description:
      'How many samples have a field that another one of the same millisecond has too: the later value is kept. Absent if none.',
  }),
  ignored: Type.Optional.Array(IgnoredField, {
    description: 'What was left out: each field once, at most 20 of them. Absent if everything was stored.',
  }),
  ignored_count: Type.Optional.Integer({ description: 'How many fields were left out of all samples.' }),
  rounded: Type.Optional.Array(Type.String(), {
    description:
      'Fields, at most 20, whose integers a number holds only approximately (beyond 9,007,199,254,740,991): send them as texts. Absent if none.',
  }),
});
export type AgentUpdateAnswer = Type.Static<typeof AgentUpdateAnswer>;
