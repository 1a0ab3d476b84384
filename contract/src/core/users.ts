// User accounts, and the two steps of a forgotten password.
import * as Type from './schema/schema.ts';

// Literals and not a bare pattern, so that a role which merely contains a known one is refused by name.
const Roles = Type.Array(Type.Enum(['admin', 'user']), { minItems: 1 });
const Username = Type.String({ format: 'email', description: 'An e-mail address, converted to lower case.' });
const NewPassword = Type.String({ format: 'new-password' });

export const TokenData = Type.Named('TokenData', {
  username: Type.Optional(Type.OrNull(Type.String())),
  roles: Type.String({ description: 'The roles, joined by commas.' }),
  scopes: Type.Optional.Array(Type.String(), { default: [] }),
});
export type TokenData = Type.Static<typeof TokenData>;

export const UserCreate = Type.Object(
  { username: Username, password: NewPassword, roles: Roles },
  { title: 'UserCreate' },
);
export type UserCreate = Type.Static<typeof UserCreate>;

export const UserRegister = Type.Object({ username: Username, password: NewPassword }, { title: 'UserRegister' });
export type UserRegister = Type.Static<typeof UserRegister>;

export const UserUpdate = Type.Named('UserUpdate', {
  password: Type.Optional(Type.OrNull(NewPassword)),
  roles: Type.Optional(Type.OrNull(Roles)),
});
export type UserUpdate = Type.Static<typeof UserUpdate>;

export const WaitingUser = Type.Named('WaitingUser', {
  username: Type.String(),
  waiting_since: Type.Timestamp,
  looks_like: Type.Optional.String({
    description: 'Another account whose name people may take for this one, such as with Cyrillic letters.',
  }),
});
export type WaitingUser = Type.Static<typeof WaitingUser>;

export const DisabledUser = Type.Named('DisabledUser', {
  username: Type.String(),
  disabled_at: Type.Timestamp,
  disabled_by: Type.String({ description: 'A username; for the command line, the account of the shell.' }),
});
export type DisabledUser = Type.Static<typeof DisabledUser>;

export const PasswordRecoveryRequest = Type.Object({ username: Username }, { title: 'PasswordRecoveryRequest' });
export type PasswordRecoveryRequest = Type.Static<typeof PasswordRecoveryRequest>;

export const PasswordReset = Type.Named('PasswordReset', {
  token: Type.String({ maxLength: 512, description: 'From the recovery mail; valid for one use.' }),
  new_password: NewPassword,
});
export type PasswordReset = Type.Static<typeof PasswordReset>;

export const PasswordChange = Type.Named('PasswordChange', {
  current_password: Type.String({ maxLength: 1024 }),
  new_password: NewPassword,
});
export type PasswordChange = Type.Static<typeof PasswordChange>;

export const Session = Type.Named('Session', {
  id: Type.String(),
  created_at: Type.String({ format: 'date-time', description: 'When the user logged in.' }),
  renewed_at: Type.String({ format: 'date-time', description: 'When its newest token was issued.' }),
  expires_at: Type.String({ format: 'date-time', description: 'When its newest token expires.' }),
  ends_at: Type.String({ format: 'date-time', description: 'Until when it can be renewed.' }),
  address: Type.String({ description: 'Where its newest token was requested from.' }),
  client: Type.String({ description: 'The User-Agent of that request.' }),
  is_current: Type.Boolean({ description: 'Whether the token of this request belongs to it.' }),
});
export type Session = Type.Static<typeof Session>;
