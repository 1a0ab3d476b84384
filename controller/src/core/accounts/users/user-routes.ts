// Operations on user accounts, and on who may use one: disabled users, grants, and those that wait for approval.
import {
  DisabledUser,
  Grants,
  PasswordRecoveryRequest,
  PasswordReset,
  StatusAnswer,
  TokenData,
  UserCreate,
  UserRegister,
  UserUpdate,
  WaitingUser,
} from '@weft/contract';
import * as Type from '@weft/contract/schema';
import { anonymous, type UserCaller } from '../../base/caller.ts';
import { adminExists } from '../../base/errors.ts';
import { invalidValue } from '../../base/input/value-rules.ts';
import { adminsAndAuditors, adminsOnly, everyone, userItself, usersOnly } from '../../base/rights/permission.ts';
import { addressKey, type RateLimiter } from '../../base/shares/rate-limiter.ts';
import { done, type IncomingRequest, type Route, routesOf, success } from '../../http/request/route.ts';
import type { PasswordRecoveryService } from './password-recovery-service.ts';
import type { SignupService } from './signup-service.ts';
import { toCallerTokenData, type UserService } from './user-service.ts';

const route = routesOf('Users');

export interface UserRoutesOptions {
  users: UserService;
  signups: SignupService;
  recovery: PasswordRecoveryService;
  /** Throws PermissionError unless the request comes from this machine, or contains the set-up code. */
  requireSetupRight: (request: IncomingRequest) => void;
  limits: { signups: RateLimiter; recoveries: RateLimiter; resets: RateLimiter };
}

export function userRoutes({ users, signups, recovery, requireSetupRight, limits }: UserRoutesOptions): Route[] {
  return [
    route('create_user_public', 'POST /api/v1/users/public', {
      spec: 2, // spec #2
      permission: { ...adminsOnly, openTo: 'anyone_until_first_admin' },
      summary: 'Create the first administrator; later, create a user as an administrator',
      failures: { 409: 'A user with this username exists' },
      query: Type.Object({
        code: Type.Optional.String({ description: 'The set-up code printed at start; required from other machines' }),
      }),
      body: UserCreate,
      response: TokenData,
      admit: (request) => {
        if (!request.caller) requireSetupRight(request);
      },
      async handle(context) {
        if (context.callerIfAny) return users.create(context.body, context.callerIfAny);
        if (!context.body.roles.includes('admin'))
          throw invalidValue(['body', 'roles'], 'the first user must have the role admin');
        const created = await users.createFirstAdmin(context.body, anonymous);
        if (!created) throw adminExists();
        return created;
      },
    }),
    route('sign_up', 'POST /api/v1/users/signup', {
      spec: 3, // spec #3
      permission: everyone,
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
    route('request_password_recovery', 'POST /api/v1/users/password-recovery', {
      spec: 4, // spec #4
      permission: everyone,
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
    route('reset_password', 'POST /api/v1/users/reset-password', {
      spec: 5, // spec #5
      permission: everyone,
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
    route('list_users', 'GET /api/v1/users', {
      spec: 6, // spec #6
      permission: adminsAndAuditors,
      summary: 'List all users',
      response: Type.Array(TokenData),
      handle: () => users.list(),
    }),
    route('create_user', 'POST /api/v1/users', {
      spec: 7, // spec #7
      permission: adminsOnly,
      summary: 'Create a user',
      failures: { 409: 'A user with this username exists' },
      body: UserCreate,
      response: TokenData,
      handle: ({ body, caller }) => users.create(body, caller),
    }),
    route('get_me', 'GET /api/v1/users/me', {
      spec: 11, // spec #11
      permission: usersOnly,
      fastLane: true,
      summary: 'Get the calling user',
      response: TokenData,
      handle: async ({ caller }) => toCallerTokenData(caller as UserCaller),
    }),
    route('get_user', 'GET /api/v1/users/:username', {
      spec: 8, // spec #8
      permission: userItself,
      summary: 'Get a user',
      response: TokenData,
      handle: (context) => users.get(context.path('username')),
    }),
    route('update_user', 'PUT /api/v1/users/:username', {
      spec: 9, // spec #9
      permission: userItself,
      summary: "Change a user's password or roles",
      failures: { 409: 'The last administrator must remain one' },
      body: UserUpdate,
      response: TokenData,
      handle: (context) => users.update(context.path('username'), context.body, context.caller),
    }),
    route('remove_user', 'DELETE /api/v1/users/:username', {
      spec: 10, // spec #10
      permission: userItself,
      summary: 'Delete a user',
      failures: { 409: 'The last administrator cannot be deleted' },
      ...done('The user has been deleted', (context) => users.remove(context.path('username'), context.caller)),
    }),
    route('list_disabled_users', 'GET /api/v1/disabled_users', {
      permission: adminsAndAuditors,
      summary: 'List the disabled users',
      response: Type.Array(DisabledUser),
      handle: () => users.listDisabled(),
    }),
    route('disable_user', 'PUT /api/v1/disabled_users/:username', {
      permission: adminsOnly,
      summary: 'Disable a user: all its tokens are revoked, and its jobs, networks and queued commands end',
      failures: { 409: 'The last administrator and the own account cannot be disabled' },
      response: DisabledUser,
      handle: (context) => users.disable(context.path('username'), context.caller),
    }),
    route('enable_user', 'DELETE /api/v1/disabled_users/:username', {
      permission: adminsOnly,
      summary: 'Enable a user, who must log in again',
      ...done('The user can log in again', (context) => users.enable(context.path('username'), context.caller)),
    }),
    route('get_grants', 'GET /api/v1/users/:username/grants', {
      permission: userItself,
      summary: 'Show what a user may do where; without grants it reads everything',
      response: Grants,
      handle: (context) => users.grantsOf(context.path('username')),
    }),
    route('list_grants', 'GET /api/v1/grants', {
      permission: adminsAndAuditors,
      summary: 'List the users who have grants, and what they may do where',
      response: Type.Array(Type.Object({ username: Type.String(), grants: Grants }), { title: 'GrantedUsers' }),
      handle: () => users.granted(),
    }),
    route('set_grants', 'PUT /api/v1/users/:username/grants', {
      permission: adminsOnly,
      summary: 'Replace what a user may do where; an empty list makes it a viewer of all again',
      failures: { 409: 'Administrators have no grants' },
      body: Grants,
      response: Grants,
      handle: (context) => users.setGrants(context.path('username'), context.body, context.caller),
    }),
    route('list_waiting_users', 'GET /api/v1/waiting_users', {
      permission: adminsAndAuditors,
      summary: 'List the users who signed up and wait for approval',
      response: Type.Array(WaitingUser),
      handle: () => signups.listWaiting(),
    }),
    route('approve_user', 'POST /api/v1/waiting_users/:username/approve', {
      permission: adminsOnly,
      summary: 'Approve a user, who can log in from now on',
      response: TokenData,
      handle: (context) => signups.approve(context.path('username'), context.caller),
    }),
    route('refuse_user', 'DELETE /api/v1/waiting_users/:username', {
      permission: adminsOnly,
      summary: 'Refuse a user who waits for approval, and delete the account',
      failures: { 409: 'The account does not wait for approval' },
      ...done('The account has been refused and deleted', (context) =>
        signups.refuse(context.path('username'), context.caller),
      ),
    }),
  ];
}
