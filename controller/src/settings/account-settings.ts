// Settings of accounts, and of the mails that are sent to them.
import * as read from '../setting-values.ts';
import { optional, secret, withDefault } from './setting.ts';

export const accountSettings = {
  signup: optional('signup', {
    name: 'WEFT_SIGNUP',
    group: 'Accounts',
    placeholder: 'open|approve|closed',
    read: read.oneOf('open', 'approve', 'closed'),
    description:
      'Whether people may create an account for themselves; with approve, it works once an administrator approves it. Default: open if only this machine reaches Weft (listening on loopback, no WEFT_PUBLIC_URL elsewhere, no WEFT_TRUSTED_PROXIES), else approve.',
  }),
  adminUsername: optional('admin-username', {
    name: 'WEFT_ADMIN_USERNAME',
    group: 'Accounts',
    placeholder: 'EMAIL',
    read: read.emailAddress,
    description:
      'Username of the first administrator, created at start with WEFT_ADMIN_PASSWORD if there is no administrator.',
  }),
  adminPassword: secret({
    name: 'WEFT_ADMIN_PASSWORD',
    group: 'Accounts',
    placeholder: 'TEXT',
    read: read.text,
    description: 'Password of the administrator that WEFT_ADMIN_USERNAME creates.',
  }),
  tokenTtlSeconds: withDefault('token-ttl-seconds', '3600', {
    name: 'WEFT_TOKEN_TTL_SECONDS',
    group: 'Accounts',
    placeholder: 'SECONDS',
    read: read.wholeNumber(60, 604_800),
    description: 'Lifetime of an access token.',
  }),
  sessionHours: withDefault('session-hours', '24', {
    name: 'WEFT_SESSION_HOURS',
    group: 'Accounts',
    placeholder: 'HOURS',
    read: read.wholeNumber(1, 8760),
    description: 'How long after a login a user can renew the token without logging in again.',
  }),
  displaySessionDays: withDefault('display-session-days', '30', {
    name: 'WEFT_DISPLAY_SESSION_DAYS',
    group: 'Accounts',
    placeholder: 'DAYS',
    read: read.wholeNumber(1, 3650),
    description: 'The same for a session that an administrator has extended, such as that of a display on a wall.',
  }),
  passwordMinLength: withDefault('password-min-length', '8', {
    name: 'WEFT_PASSWORD_MIN_LENGTH',
    group: 'Accounts',
    placeholder: 'N',
    read: read.wholeNumber(8, 1024),
    description: 'Minimum length of a password.',
  }),
  agentPasswordMinLength: optional('agent-password-min-length', {
    name: 'WEFT_AGENT_PASSWORD_MIN_LENGTH',
    group: 'Accounts',
    placeholder: 'N',
    read: read.wholeNumber(1, 1024),
    description: 'Minimum length of the password of an agent. Default: WEFT_PASSWORD_MIN_LENGTH.',
  }),
  passwordMaxLength: withDefault('password-max-length', '128', {
    name: 'WEFT_PASSWORD_MAX_LENGTH',
    group: 'Accounts',
    placeholder: 'N',
    read: read.wholeNumber(8, 1024),
    description: 'Maximum length of a password.',
  }),
  appKeyMinLength: withDefault('app-key-min-length', '1', {
    name: 'WEFT_APP_KEY_MIN_LENGTH',
    group: 'Accounts',
    placeholder: 'N',
    read: read.wholeNumber(1, 512),
    description: 'Minimum length of the key of an app. Shorter ones that exist stay.',
  }),

  smtpUrl: secret({
    name: 'WEFT_SMTP_URL',
    group: 'Mail',
    placeholder: 'URL',
    read: read.urlWith('smtp', 'smtps'),
    description:
      'Mail server: smtps://user:password@host. By default, mails are written to files in outbox/ of the data folder.',
  }),
  mailFrom: withDefault('mail-from', 'Weft <weft@localhost>', {
    name: 'WEFT_MAIL_FROM',
    group: 'Mail',
    placeholder: 'SENDER',
    read: read.mailSender,
    description: 'Sender of the mails.',
  }),
} as const;
