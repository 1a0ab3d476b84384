// What agents and Weft say to each other about what an access point shall be, over the channel and by polls.

import * as Type from './schema/schema.ts';

const Settings = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'A secret is `{"secret": name, "version": n}`; `of` may be left out. What is said is data, and names nothing.',
});

const RunningFields = {
  hash: Type.OrNull(Type.String({ maxLength: 128 }), {
    description: 'As it was given; null for an agent that was given none.',
  }),
  settings: Settings,
  trial: Type.Optional.String({
    maxLength: 128,
    description: 'The id of settings that it runs on trial: their confirmation has not come, and is said again.',
  }),
};
export const ConfigRunning = Type.Named('ConfigRunning', {
  ...RunningFields,
  reverted: Type.Optional.Object({ id: Type.String({ maxLength: 128 }), reason: Type.String({ maxLength: 2000 }) }),
});
export type ConfigRunning = Type.Static<typeof ConfigRunning>;
export const ConfigRunningMessage = Type.Named('ConfigRunningMessage', {
  type: Type.Literal('config_running'),
  ...ConfigRunning.properties,
});
export type ConfigRunningMessage = Type.Static<typeof ConfigRunningMessage>;

export const ConfigResult = Type.Named('ConfigResult', {
  hash: Type.String({ maxLength: 128 }),
  state: Type.Enum(['applied', 'refused', 'substituted']),
  reason: Type.Optional.String({ maxLength: 2000 }),
  settings: Type.Optional(Settings),
});
export type ConfigResult = Type.Static<typeof ConfigResult>;
export const ConfigResultMessage = Type.Named('ConfigResultMessage', {
  type: Type.Literal('config_result'),
  id: Type.String({ minLength: 1, maxLength: 128 }),
  ...ConfigResult.properties,
});
export type ConfigResultMessage = Type.Static<typeof ConfigResultMessage>;

export const ConfigMessage = Type.Named('ConfigMessage', {
  type: Type.Literal('config'),
  id: Type.String({ description: 'The same may be delivered again with the same id: apply it once.' }),
  hash: Type.String({ description: 'To be stored, and said again as it is.' }),
  settings: Type.Record(Type.String(), Type.Unknown(), {
    description:
      'A secret is `{"secret": name, "version": n, "value": text}`, of a site or an access point with its id as `of`; said again it has no `value`.',
  }),
  trial_seconds: Type.Integer(),
});
export type ConfigMessage = Type.Static<typeof ConfigMessage>;
export const ConfigConfirmMessage = Type.Named('ConfigConfirmMessage', {
  type: Type.Literal('config_confirm'),
  id: Type.String(),
  hash: Type.String(),
});
export type ConfigConfirmMessage = Type.Static<typeof ConfigConfirmMessage>;
export const ConfigNext = Type.Named('ConfigNext', {
  next: Type.Union([ConfigMessage, ConfigConfirmMessage, Type.Null()]),
});
export type ConfigNext = Type.Static<typeof ConfigNext>;
