// Settings of accounts, and of the mails that are sent to them.
import * as read from '../setting-values.ts';
import { settingsOf } from './setting.ts';

const { optional, secret, withDefault } = settingsOf('Accounts');
const mail = settingsOf('Mail');

export const accountSettings = {
  signup: optional('WEFT_SIGNUP', 'open|approve|closed', {
    read: read.oneOf('open', 'approve', 'closed'),
    description:
      'Whether people may create an account for themselves; with approve, it works once an administrator approves it. Default: open if only this machine reaches Weft (listening on loopback, no WEFT_PUBLIC_URL elsewhere, no WEFT_TRUSTED_PROXIES), else approve.',
  }),
  adminUsername: optional('WEFT_ADMIN_USERNAME', 'EMAIL', {
    read: read.emailAddress,
    description:
      'Username of the first administrator, created at start with WEFT_ADMIN_PASSWORD if there is no administrator.',
  }),
  adminPassword: secret('WEFT_ADMIN_PASSWORD', 'TEXT', {
    read: read.text,
    description: 'Password of the administrator that WEFT_ADMIN_USERNAME creates.',
  }),
  tokenTtlSeconds: withDefault('WEFT_TOKEN_TTL_SECONDS', 'SECONDS', '3600', {
    read: read.wholeNumber(60, 604_800),
    description: 'Lifetime of an access token.',
  }),
  sessionHours: withDefault('WEFT_SESSION_HOURS', 'HOURS', '24', {
    read: read.wholeNumber(1, 8760),
    description: 'How long after a login a user can renew the token without logging in again.',
  }),
  displaySessionDays: withDefault('WEFT_DISPLAY_SESSION_DAYS', 'DAYS', '30', {
    read: read.wholeNumber(1, 3650),
    description: 'The same for a session that an administrator has extended, such as that of a display on a wall.',
  }),
  passwordMinLength: withDefault('WEFT_PASSWORD_MIN_LENGTH', 'N', '8', {
    read: read.wholeNumber(8, 1024),
    description: 'Minimum length of a password.',
  }),
  agentPasswordMinLength: optional('WEFT_AGENT_PASSWORD_MIN_LENGTH', 'N', {
    read: read.wholeNumber(1, 1024),
    description: 'Minimum length of the password of an agent. Default: WEFT_PASSWORD_MIN_LENGTH.',
  }),
  passwordMaxLength: withDefault('WEFT_PASSWORD_MAX_LENGTH', 'N', '128', {
    read: read.wholeNumber(8, 1024),
    description: 'Maximum length of a password.',
  }),
  appKeyMinLength: withDefault('WEFT_APP_KEY_MIN_LENGTH', 'N', '1', {
    read: read.wholeNumber(1, 512),
    description: 'Minimum length of the key of an app. Shorter ones that exist stay.',
  }),

  smtpUrl: mail.secret('WEFT_SMTP_URL', 'URL', {
    read: read.urlWith('smtp', 'smtps'),
    description:
      'Mail server: smtps://user:password@host. By default, mails are written to files in outbox/ of the data folder.',
  }),
  mailFrom: mail.withDefault('WEFT_MAIL_FROM', 'SENDER', 'Weft <weft@localhost>', {
    read: read.mailSender,
    description: 'Sender of the mails.',
  }),
} as const;
