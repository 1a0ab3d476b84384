// Operations on user accounts.
import {
  PasswordRecoveryRequest,
  PasswordReset,
  StatusAnswer,
  TokenData,
  UserCreate,
  UserRegister,
  UserUpdate,
} from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { anonymous, type UserCaller } from '../caller.ts';
import { AuthenticationError, type ValidationError } from '../errors.ts';
import { type IncomingRequest, type Route, route, success } from '../http/request/route.ts';
import { invalidValue } from '../input/value-rules.ts';
import { adminsAndAuditors, adminsOnly, everyone, userItself, usersOnly } from '../rights/permission.ts';
import { addressKey, type RateLimiter } from '../shares/rate-limiter.ts';
import type { PasswordRecoveryService } from './password-recovery-service.ts';
import type { SignupService } from './signup-service.ts';
import { disabledUserRoutes, grantRoutes, waitingUserRoutes } from './user-access-routes.ts';
import { toCallerTokenData, type UserService } from './user-service.ts';

export interface UserRoutesOptions {
  users: UserService;
  signups: SignupService;
  recovery: PasswordRecoveryService;
  /** Throws PermissionError unless the request comes from this machine, or contains the set-up code. */
  requireSetupRight: (request: IncomingRequest) => void;
  limits: { signups: RateLimiter; recoveries: RateLimiter; resets: RateLimiter };
}

export function userRoutes({ users, signups, recovery, requireSetupRight, limits }: UserRoutesOptions): Route[] {
  const tag = 'Users';
  return [
    // spec #2
    route({
      operation: 'create_user_public',
      spec: 2,
      permission: { ...adminsOnly, openTo: 'anyone_until_first_admin' },
      method: 'POST',
      url: '/api/v1/users/public',
      tag,
      summary: 'Create the first administrator; later, create a user as an administrator',
      failures: { 409: 'A user with this username exists' },
      query: Type.Object({
        code: Type.Optional(
          Type.String({ description: 'The set-up code printed at start; required from other machines' }),
        ),
      }),
      body: UserCreate,
      response: TokenData,
      admit: (request) => {
        if (!request.caller) requireSetupRight(request);
      },
      async handle(context) {
        if (context.callerIfAny) return users.create(context.body, context.callerIfAny);
        if (!context.body.roles.includes('admin')) throw firstUserMustBeAdmin();
        const created = await users.createFirstAdmin(context.body, anonymous);
        if (!created) throw new AuthenticationError();
        return created;
      },
    }),
    // spec #3
    route({
      operation: 'sign_up',
      spec: 3,
      permission: everyone,
      method: 'POST',
      url: '/api/v1/users/signup',
      tag,
      summary: 'Sign up for an account with the standard role, which may have to be approved',
      failures: {
        403: 'Sign-up is closed, or there is no administrator yet',
        409: 'A user with this username exists, and accounts need no approval',
      },
      body: UserRegister,
      response: TokenData,
      admit: () => signups.requireOpen(),
      async handle({ body, address }) {
        limits.signups.take(addressKey(address));
        return signups.signUp(body);
      },
    }),
    // spec #4
    route({
      operation: 'request_password_recovery',
      spec: 4,
      permission: everyone,
      method: 'POST',
      url: '/api/v1/users/password-recovery',
      tag,
      summary: 'Request a mail with a reset token',
      body: PasswordRecoveryRequest,
      // The wish is stored; what comes of it is a mail.
      changesNothing: true,
      response: StatusAnswer,
      async handle({ body, address }) {
        limits.recoveries.take(addressKey(address));
        await recovery.request(body.username);
        return success('If this account exists, a mail with a reset token is on its way');
      },
    }),
    // spec #5
    route({
      operation: 'reset_password',
      spec: 5,
      permission: everyone,
      method: 'POST',
      url: '/api/v1/users/reset-password',
      tag,
      summary: 'Set a new password with a reset token',
      failures: { 400: 'The reset token is wrong, used or expired, or the request cannot be read' },
      body: PasswordReset,
      response: StatusAnswer,
      async handle({ body, address }) {
        limits.resets.take(addressKey(address));
        await recovery.reset(body.token, body.new_password);
        return success('The password has been changed; sign in with the new one');
      },
    }),
    // spec #6
    route({
      operation: 'list_users',
      spec: 6,
      permission: adminsAndAuditors,
      method: 'GET',
      url: '/api/v1/users',
      tag,
      summary: 'List all users',
      response: Type.Array(TokenData),
      handle: () => users.list(),
    }),
    // spec #7
    route({
      operation: 'create_user',
      spec: 7,
      permission: adminsOnly,
      method: 'POST',
      url: '/api/v1/users',
      tag,
      summary: 'Create a user',
      failures: { 409: 'A user with this username exists' },
      body: UserCreate,
      response: TokenData,
      handle: ({ body, caller }) => users.create(body, caller),
    }),
    // spec #11
    route({
      operation: 'get_me',
      spec: 11,
      permission: usersOnly,
      method: 'GET',
      url: '/api/v1/users/me',
      fastLane: true,
      tag,
      summary: 'Get the calling user',
      response: TokenData,
      handle: async ({ caller }) => toCallerTokenData(caller as UserCaller),
    }),
    // spec #8
    route({
      operation: 'get_user',
      spec: 8,
      permission: userItself,
      method: 'GET',
      url: '/api/v1/users/:username',
      target: 'username',
      tag,
      summary: 'Get a user',
      response: TokenData,
      handle: (context) => users.get(context.path('username')),
    }),
    // spec #9
    route({
      operation: 'update_user',
      spec: 9,
      permission: userItself,
      method: 'PUT',
      url: '/api/v1/users/:username',
      target: 'username',
      tag,
      summary: "Change a user's password or roles",
      failures: { 409: 'The last administrator must remain one' },
      body: UserUpdate,
      response: TokenData,
      handle: (context) => users.update(context.path('username'), context.body, context.caller),
    }),
    // spec #10
    route({
      operation: 'remove_user',
      spec: 10,
      permission: userItself,
      method: 'DELETE',
      url: '/api/v1/users/:username',
      target: 'username',
      tag,
      summary: 'Delete a user',
      failures: { 409: 'The last administrator cannot be deleted' },
      response: StatusAnswer,
      async handle(context) {
        await users.remove(context.path('username'), context.caller);
        return success('The user has been deleted');
      },
    }),
    ...disabledUserRoutes(users),
    ...grantRoutes(users),
    ...waitingUserRoutes(signups),
  ];
}

function firstUserMustBeAdmin(): ValidationError {
  return invalidValue(['body', 'roles'], 'the first user must have the role admin');
}
