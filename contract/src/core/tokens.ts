// Logging in: the form that is sent and the token that comes back.
import * as Type from './schema/schema.ts';

export const LoginType = Type.Enum(['user', 'agent', 'third_party_app'], {
  title: 'LoginType',
  description: 'The kind of caller that logs in.',
});
export type LoginType = Type.Static<typeof LoginType>;

export const LoginForm = Type.Named('LoginForm', {
  // Unanchored on purpose: the interface takes any text that contains the word.
  grant_type: Type.Optional(Type.OrNull(Type.String({ pattern: 'password' }))),
  username: Type.String({
    maxLength: 1024,
    description: "A user's e-mail address, an agent's ap_id or an app's app_name.",
  }),
  password: Type.String({ maxLength: 1024, description: "A user's or agent's password, or an app's api_key." }),
  scope: Type.Optional.String({ default: '' }),
  client_id: Type.Optional(Type.OrNull(Type.String())),
  client_secret: Type.Optional(Type.OrNull(Type.String())),
});
export type LoginForm = Type.Static<typeof LoginForm>;

export const Token = Type.Named('Token', {
  access_token: Type.String(),
  token_type: Type.String({ description: 'Always `bearer`.' }),
  expires_in: Type.Integer({ description: 'Seconds.' }),
});
export type Token = Type.Static<typeof Token>;
