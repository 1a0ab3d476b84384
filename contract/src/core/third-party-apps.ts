// Third-party apps and what they may do.
import * as Type from './schema/schema.ts';

const Limits = Type.Object(
  { min: Type.Optional.Number(), max: Type.Optional.Number() },
  { description: '`min` is at most `max`.' },
);

/** The keys of `permissions` that mean something. An absent key does not restrict. */
export const AppPermissions = Type.Object(
  {
    agents: Type.Optional.Array(Type.String({ minLength: 1, maxLength: 128 }), {
      maxItems: 1000,
      description: 'Patterns of ap_ids, with `*` and `?`.',
    }),
    selector: Type.Optional.String({
      description: 'Which agents, by `site:`, `tag:` and `name:`; beside `agents`, both must allow.',
    }),
    read: Type.Optional.Boolean({ description: 'Whether it may read agents, their data and their metrics.' }),
    write: Type.Optional.Boolean({
      description:
        'false: it may not send commands, run emulated networks, raise alarms or hand in results, whatever those keys say.',
    }),
    commands: Type.Optional(
      Type.Union(
        [
          Type.Boolean(),
          Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { maxItems: 1000 }),
          Type.Record(Type.String(), Type.Record(Type.String(), Limits)),
        ],
        {
          description:
            'All or none, the names of allowed commands, or each name with limits on its arguments: then the command needs each of them, as a number within its limits, and may have no other. `{}` limits nothing.',
        },
      ),
    ),
    emulator: Type.Optional(
      Type.Union([Type.Boolean(), Type.Object({ max_access_points: Type.Integer({ minimum: 0 }) })], {
        description: 'Whether it may run emulated networks, or with how many access points at once.',
      }),
    ),
    alarms: Type.Optional.Boolean({
      description: 'Whether it may raise alarms of its own about the agents that it may see. Absent: it may not.',
    }),
    config: Type.Optional.Enum(['read', 'draft', 'roll_out'], {
      description:
        'What it may do about what access points shall be: read it, also draft changes, also roll them out. Absent: nothing.',
    }),
    callbacks: Type.Optional.Boolean({
      description: 'Whether it may hand in the results of jobs of others. Absent: it may not.',
    }),
    priority: Type.Optional.Number({
      minimum: 0,
      maximum: 100,
      description: 'In conflicts with other apps. Default: 50.',
    }),
    expires_at: Type.Optional.String({
      format: 'date-time',
      description: 'From this moment on it may do none of this.',
    }),
  },
  {
    title: 'AppPermissions',
    documented: { additionalProperties: true },
    description: 'What an app may do. An absent key does not restrict; other keys are stored and mean nothing.',
  },
);
export type AppPermissions = Type.Static<typeof AppPermissions>;

const AppName = Type.String({
  pattern:
    '^[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}](?:[ \\p{L}\\p{M}\\p{N}\\p{P}\\p{S}]{0,126}[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}])?$',
  format: 'app-name',
  // Classes of characters such as \p{L} are unknown to many validators.
  documented: { pattern: '^\\S(?:.*\\S)?$', minLength: 1, maxLength: 128 },
  description:
    'Identifies the app at login and, percent-encoded, in paths: 1 to 128 printable characters in Unicode NFC, without a space at either end. Compared exactly.',
});
/** Shorter keys are accepted, and the answer that takes one says so in `warning`. */
export const SOUND_KEY_LENGTH = 16;
const ApiKey = Type.String({
  format: 'new-api-key',
  minLength: 1,
  maxLength: 512,
  description: `From ${SOUND_KEY_LENGTH} random characters on it cannot be guessed.`,
});
// Free-form on the wire: keys without a meaning are kept. The format checks those that have one.
const Permissions = Type.Record(Type.String(), Type.Unknown(), {
  format: 'app-permissions',
  documented: { is: AppPermissions },
});

export const ThirdPartyApp = Type.Object(
  { id: Type.String({ format: 'uuid' }), app_name: Type.String(), api_key: Type.String(), permissions: Permissions },
  { title: 'ThirdPartyApp' },
);
export type ThirdPartyApp = Type.Static<typeof ThirdPartyApp>;

export const ChangedThirdPartyApp = Type.Named('ChangedThirdPartyApp', {
  ...ThirdPartyApp.properties,
  warning: Type.Optional.String({ description: 'Only where the key that was given can be guessed.' }),
});
export type ChangedThirdPartyApp = Type.Static<typeof ChangedThirdPartyApp>;

/** An app in a list: everything but the key. */
export const ThirdPartyAppSummary = Type.Object(
  { id: Type.String({ format: 'uuid' }), app_name: Type.String(), permissions: Permissions },
  { title: 'ThirdPartyAppSummary' },
);
export type ThirdPartyAppSummary = Type.Static<typeof ThirdPartyAppSummary>;

export const ThirdPartyAppCreate = Type.Object(
  { app_name: AppName, api_key: ApiKey, permissions: Permissions },
  { title: 'ThirdPartyAppCreate' },
);
export type ThirdPartyAppCreate = Type.Static<typeof ThirdPartyAppCreate>;

export const ThirdPartyAppUpdate = Type.Named('ThirdPartyAppUpdate', {
  api_key: Type.Optional(Type.OrNull(ApiKey)),
  permissions: Type.Optional(Type.OrNull(Permissions)),
});
export type ThirdPartyAppUpdate = Type.Static<typeof ThirdPartyAppUpdate>;
