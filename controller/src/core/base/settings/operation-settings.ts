// Settings of the running process: its roles, time limits, log level, and who may reach what.
import * as read from '../setting-values.ts';
import { settingsOf } from './setting.ts';

const { list, optional, withDefault } = settingsOf('Operation');

export const operationSettings = {
  roles: list('WEFT_ROLES', 'ROLES', 'api,worker,emulator', {
    read: read.oneOf('api', 'worker', 'emulator'),
    description:
      'Roles of this process, separated by commas: api answers requests, worker processes jobs, emulator runs emulated networks. A process without all roles needs WEFT_DATABASE_URL, WEFT_TELEMETRY_URL and WEFT_AMQP_URL.',
  }),
  parts: withDefault('WEFT_PARTS', 'PARTS', 'all', {
    read: read.oneOf('all', 'core'),
    description:
      'Which parts this process has: all, or core: what the specification asks for and stands on, without alarms, health, settings by layers, energy and events, and without the emulator. For data that no process with all parts has written.',
  }),
  callbackUrl: optional('WEFT_CALLBACK_URL', 'ORIGIN', {
    read: read.origin,
    description:
      'Address to which the emulator of this process posts results. Default: its own address. Required for the role emulator without the role api.',
  }),
  jobTimeoutMinutes: withDefault('WEFT_JOB_TIMEOUT_MINUTES', 'MINUTES', '60', {
    read: read.wholeNumber(1, 10_080),
    description: 'Time until an unfinished job expires; for a live subscription, after its end.',
  }),
  jobQuietSeconds: withDefault('WEFT_JOB_QUIET_SECONDS', 'SECONDS', '60', {
    read: read.wholeNumber(1, 86_400),
    description:
      'A job that has delivered results to the end of what was asked for succeeds after this time without a further result, if its worker never says that it is done.',
  }),
  jobRetakeMinutes: withDefault('WEFT_JOB_RETAKE_MINUTES', 'MINUTES', '60', {
    read: read.wholeNumber(1, 10_080),
    description:
      'A job in the hands of a worker that is not one of Weft is published again after this time without a result of it. An empty result counts.',
  }),
  emulatorKeepHours: withDefault('WEFT_EMULATOR_KEEP_HOURS', 'HOURS', '24', {
    read: read.wholeNumber(0, 8760),
    description: 'Retention of emulated agents and their telemetry after the end of their run.',
  }),
  logLevel: withDefault('WEFT_LOG_LEVEL', 'LEVEL', 'info', {
    read: read.oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
    description: 'Minimum log level: trace, debug, info, warn, error or silent.',
  }),
  logFormat: withDefault('WEFT_LOG_FORMAT', 'FORMAT', 'auto', {
    read: read.oneOf('auto', 'json', 'text'),
    description:
      'Format of the log: json, text (readable lines), or auto, which is text on a terminal and json elsewhere.',
  }),
  tileUrl: optional('WEFT_TILE_URL', 'URL', {
    read: read.tileUrl,
    description:
      'Map server for the map of the dashboard, with {z}, {x} and {y}, such as https://tiles.example.org/{z}/{x}/{y}.png. Browsers of users ask it for pictures. Default: none; the map draws land, borders and place names itself.',
  }),
  tileAttribution: withDefault('WEFT_TILE_ATTRIBUTION', 'TEXT', '', {
    mayBeEmpty: true,
    read: read.text,
    description: 'Whom the map names as the source of its pictures, such as "© OpenStreetMap contributors".',
  }),
  energyPrice: withDefault('WEFT_ENERGY_PRICE', 'AMOUNT', '0.30', {
    read: read.amount(1_000),
    description: 'Price of a kWh, in WEFT_CURRENCY, for what energy has cost or saved.',
  }),
  currency: withDefault('WEFT_CURRENCY', 'CODE', 'EUR', {
    read: read.currency,
    description: 'Currency of WEFT_ENERGY_PRICE: three letters of ISO 4217.',
  }),
  energyCo2: withDefault('WEFT_ENERGY_CARBON', 'GRAMS', '300', {
    read: read.amount(10_000),
    description: 'Grams of CO₂ for a kWh.',
  }),
  metricsAllow: list('WEFT_METRICS_ALLOW', 'NETWORKS', '127.0.0.0/8,::1/128', {
    read: read.network,
    description: 'Clients that may read /metrics without a token: addresses or networks, separated by commas.',
  }),
  pushAllow: list('WEFT_PUSH_ALLOW', 'DESTINATIONS', '', {
    read: read.pushDestination,
    description:
      'Destinations to which commands may be pushed, for agents with an `api_url`: host:port or network:port (10.1.0.0/16:8080), separated by commas. Private and local addresses must be allowed by a network. Empty: none.',
  }),
  acceptLabels: withDefault('WEFT_ACCEPT_LABELS', 'no|yes', 'no', {
    read: read.oneOf('no', 'yes'),
    description:
      'Whether the site and the tags that an agent names in its configuration become its labels where an administrator has set none. Rights may depend on labels: yes trusts every agent with them.',
  }),
  webhookAllow: list('WEFT_WEBHOOK_ALLOW', 'DESTINATIONS', '', {
    read: read.webhookDestination,
    description:
      'Destinations to which webhooks may send: names (hooks.example.org) or networks (10.1.0.0/16), each also with a port (10.1.0.0/16:9093), separated by commas. Private and local addresses must be allowed by a network. Empty: none.',
  }),
  directPosts: withDefault('WEFT_DIRECT_POSTS', 'on|off', 'on', {
    read: read.oneOf('on', 'off'),
    description:
      'Whether plain telemetry posts are read from their connections directly, which is faster; off: the HTTP server of Node reads every request.',
  }),
  shutdownSeconds: withDefault('WEFT_SHUTDOWN_SECONDS', 'SECONDS', '25', {
    read: read.wholeNumber(1, 3600),
    description: 'Time that requests in progress have to finish when Weft is stopped.',
  }),
  securityEventSeconds: withDefault('WEFT_SECURITY_EVENT_SECONDS', 'SECONDS', '60', {
    read: read.wholeNumber(1, 86_400),
    description:
      'How often logins, refusals and shown keys are written to the audit log; equal ones of this time are one entry with a count.',
  }),
} as const;
