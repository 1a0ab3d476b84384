// What access points shall be: layers of settings, variables, secrets, change sets, roll-outs, and how each access point stands.

import { Page } from '../core/answers.ts';
import { configStates } from '../core/functions/selector.ts';
import * as Type from '../core/schema/schema.ts';

const Settings = Type.Record(Type.String(), Type.Unknown(), {
  description: 'A JSON object; scalars and arrays are leaves. `${name}` takes a variable, `{"secret": name}` a secret.',
});
const Title = Type.String({ minLength: 1, maxLength: 200, format: 'label' });

export const ConfigState = Type.Enum(configStates, { title: 'ConfigState' });
export type ConfigState = Type.Static<typeof ConfigState>;

const layerFields = {
  name: Type.String({ minLength: 1, maxLength: 128, format: 'label' }),
  selector: Type.String({
    format: 'rights-selector',
    description: 'Which access points, by `site:`, `tag:` and `name:`; nothing that an agent says about itself.',
  }),
  weight: Type.Integer({ minimum: -1000, maximum: 1000, description: 'The heavier layer wins.' }),
  settings: Settings,
};
const optional = {
  description: 'Settings that an access point does not declare are left out for it, instead of refused.',
};

const versionFields = {
  id: Type.String(),
  version: Type.Integer({ minimum: 1 }),
  ...layerFields,
  optional: Type.Boolean(optional),
};
export const ConfigLayer = Type.Named('ConfigLayer', {
  ...versionFields,
  access_points: Type.Integer({ description: 'How many it is about, of those that you see.' }),
});
export type ConfigLayer = Type.Static<typeof ConfigLayer>;
export const ConfigLayerPage = Page(ConfigLayer, 'ConfigLayerPage');
export type ConfigLayerPage = Type.Static<typeof ConfigLayerPage>;

export const ConfigLayerVersion = Type.Named('ConfigLayerVersion', {
  ...versionFields,
  removed: Type.Boolean({ description: 'With this version the layer ended.' }),
  rollout_id: Type.String(),
  created_by: Type.String(),
  created_at: Type.Timestamp,
});
export type ConfigLayerVersion = Type.Static<typeof ConfigLayerVersion>;
export const ConfigLayerVersionPage = Page(ConfigLayerVersion, 'ConfigLayerVersionPage');
export type ConfigLayerVersionPage = Type.Static<typeof ConfigLayerVersionPage>;

const VariableName = Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_.-]{0,63}$' });
const VariableValue = Type.Union([Type.String({ maxLength: 4096 }), Type.Number(), Type.Boolean()]);

export const ConfigVariable = Type.Named('ConfigVariable', {
  ap_id: Type.OrNull(Type.String(), { description: 'Of this access point; null if it is that of a site.' }),
  site: Type.OrNull(Type.String(), { description: 'Of the access points in this site and below it.' }),
  name: VariableName,
  value: VariableValue,
  updated_at: Type.Timestamp,
});
export type ConfigVariable = Type.Static<typeof ConfigVariable>;
export const ConfigVariablePage = Page(ConfigVariable, 'ConfigVariablePage');
export type ConfigVariablePage = Type.Static<typeof ConfigVariablePage>;

export const ConfigVariableSet = Type.Named('ConfigVariableSet', {
  ap_id: Type.Optional.String({ minLength: 1, maxLength: 255 }),
  site: Type.Optional.String({ minLength: 1, maxLength: 255 }),
  name: VariableName,
  value: Type.OrNull(VariableValue, { description: 'Null removes it.' }),
});
export type ConfigVariableSet = Type.Static<typeof ConfigVariableSet>;

export const Reconfigured = Type.Named('Reconfigured', {
  reconfigured: Type.Integer({ description: 'How many access points get other settings by this.' }),
});
export type Reconfigured = Type.Static<typeof Reconfigured>;

export const ConfigSecret = Type.Named('ConfigSecret', {
  ap_id: Type.OrNull(Type.String(), { description: 'Of this access point.' }),
  site: Type.OrNull(Type.String(), {
    description: 'Of the access points in this site and below it; null, and no ap_id: of the installation.',
  }),
  name: Type.String(),
  shared: Type.Boolean({ description: 'Whoever writes a layer may name it.' }),
  version: Type.Integer(),
  updated_at: Type.Timestamp,
});
export type ConfigSecret = Type.Static<typeof ConfigSecret>;
export const ConfigSecretPage = Page(ConfigSecret, 'ConfigSecretPage');
export type ConfigSecretPage = Type.Static<typeof ConfigSecretPage>;
export const ConfigSecretSet = Type.Named('ConfigSecretSet', {
  ap_id: Type.Optional.String({ minLength: 1, maxLength: 255 }),
  site: Type.Optional.String({
    minLength: 1,
    maxLength: 255,
    description: 'Without it and ap_id: of the installation.',
  }),
  name: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$' }),
  value: Type.Optional.String({ minLength: 1, maxLength: 4096, description: 'Never shown again. Absent: as it is.' }),
  shared: Type.Optional.Boolean({
    description:
      'Whether whoever writes a layer may name it; of one of the installation only an administrator says so.',
  }),
  to_site: Type.Optional.String({
    minLength: 1,
    maxLength: 255,
    description: 'For administrators: it belongs to this site from now on.',
  }),
});
export type ConfigSecretSet = Type.Static<typeof ConfigSecretSet>;

export const LayerDraft = Type.Named('LayerDraft', {
  id: Type.Optional.String({ maxLength: 64, description: 'Of the layer that it changes; absent: a new one.' }),
  ...layerFields,
  optional: Type.Optional.Boolean(optional),
});
export type LayerDraft = Type.Static<typeof LayerDraft>;

export const ChangeSetCreate = Type.Named('ChangeSetCreate', {
  title: Title,
  layers: Type.Optional.Array(LayerDraft, { maxItems: 100 }),
  remove: Type.Optional.Array(Type.String({ maxLength: 64 }), { maxItems: 100, description: 'Ids of layers.' }),
});
export type ChangeSetCreate = Type.Static<typeof ChangeSetCreate>;

export const ChangeSet = Type.Named('ChangeSet', {
  id: Type.String(),
  title: Type.String(),
  state: Type.Enum(['draft', 'rolled_out']),
  layers: Type.Array(Type.Object({ ...LayerDraft.properties, id: Type.String() })),
  remove: Type.Array(Type.String()),
  base: Type.Record(Type.String(), Type.Integer(), {
    description: 'The versions of the layers that the draft was made from; 0 for a new layer.',
  }),
  is_outdated: Type.Boolean({ description: 'One of these layers has changed meanwhile: it must be rebased.' }),
  created_by: Type.String(),
  created_at: Type.Timestamp,
  updated_at: Type.Timestamp,
});
export type ChangeSet = Type.Static<typeof ChangeSet>;
export const ChangeSetPage = Page(ChangeSet, 'ChangeSetPage');
export type ChangeSetPage = Type.Static<typeof ChangeSetPage>;

const LeafChange = Type.Object({
  leaf: Type.String(),
  before: Type.Unknown({ description: 'Null: not set.' }),
  after: Type.Unknown({ description: 'Null: not set any more.' }),
});
export const ChangePreview = Type.Named('ChangePreview', {
  changed: Type.Integer({ description: 'How many access points would get other settings.' }),
  groups: Type.Array(
    Type.Object({
      count: Type.Integer(),
      changes: Type.Array(LeafChange),
      restart: Type.Enum(['none', 'radio', 'device']),
      ap_ids: Type.Array(Type.String(), { description: 'The first 100 of them.' }),
    }),
    { description: 'Access points with equal differences, the largest group first.' },
  ),
  refused: Type.Integer({ description: 'How many access points cannot take it.' }),
  refusals: Type.Array(
    Type.Object({
      ap_id: Type.String(),
      leaf: Type.String(),
      layer: Type.String({ description: 'The name of the layer.' }),
      code: Type.String(),
      detail: Type.String(),
    }),
    { description: 'The first 100 of them.' },
  ),
  restarts: Type.Object({ radio: Type.Integer(), device: Type.Integer() }),
  overridden: Type.Array(Type.Object({ ap_id: Type.String(), leaves: Type.Array(Type.String()) }), {
    description: 'Leaves that a command holds: a roll-out leaves them alone.',
  }),
  not_yours: Type.Boolean({
    description: 'It would change access points that you do not manage, now or when they come: you cannot roll it out.',
  }),
});
export type ChangePreview = Type.Static<typeof ChangePreview>;

export const AgentConfigView = Type.Named('AgentConfigView', {
  ap_id: Type.String(),
  state: Type.OrNull(ConfigState, { description: 'Null: no layer is about it.' }),
  detail: Type.OrNull(Type.String()),
  rollout_id: Type.OrNull(Type.String()),
  hash: Type.OrNull(Type.String()),
  running_hash: Type.OrNull(Type.String()),
  running_at: Type.OrNull(Type.Timestamp),
  updated_at: Type.OrNull(Type.Timestamp),
  settings: Type.Optional(Settings),
  differences: Type.Optional.Array(
    Type.Object({
      leaf: Type.String(),
      desired: Type.Unknown(),
      running: Type.Unknown(),
      command_id: Type.OrNull(Type.String()),
    }),
  ),
  leaves: Type.Optional.Array(
    Type.Object({
      leaf: Type.String(),
      value: Type.Unknown(),
      layer: Type.String(),
      name: Type.String(),
      version: Type.Integer(),
      running: Type.Unknown({ description: 'What it says that it runs. Null: nothing.' }),
      command_id: Type.OrNull(Type.String(), { description: 'The command that holds it.' }),
    }),
  ),
});
export type AgentConfigView = Type.Static<typeof AgentConfigView>;
