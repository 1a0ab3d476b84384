// Limits on attempts, records, jobs, connections and emulated networks.
import * as read from '../setting-values.ts';
import { settingsOf } from './setting.ts';

const { count, withDefault } = settingsOf('Limits');

export const limitSettings = {
  loginFailuresPerAccount: count('WEFT_LIMIT_LOGIN_FAILURES_PER_ACCOUNT', '10', {
    max: 1_000_000,
    description:
      'Maximum failed logins to one account from one address in 5 minutes; then that account is refused there (429).',
  }),
  loginFailuresPerAddress: count('WEFT_LIMIT_LOGIN_FAILURES_PER_ADDRESS', '100', {
    max: 1_000_000,
    description:
      'Failed logins from one address in 5 minutes, to accounts that did not log in from there within a day, beyond which wrong passwords are answered slowly and with 429. Correct passwords are always accepted.',
  }),
  signupsPerAddress: count('WEFT_LIMIT_SIGNUPS_PER_ADDRESS', '60', {
    max: 1_000_000,
    description: 'Maximum sign-ups from one address in 10 minutes.',
  }),
  recoveriesPerAddress: count('WEFT_LIMIT_RECOVERIES_PER_ADDRESS', '30', {
    max: 1_000_000,
    description: 'Maximum requests for a password mail from one address in 10 minutes.',
  }),
  resetsPerAddress: count('WEFT_LIMIT_RESETS_PER_ADDRESS', '30', {
    max: 1_000_000,
    description: 'Maximum attempts to set a password with a mailed token from one address in 10 minutes.',
  }),
  commandsPerApp: count('WEFT_LIMIT_COMMANDS_PER_APP', '6000', {
    max: 100_000_000,
    description: 'Maximum commands of one third-party app per minute.',
  }),
  pointsPerSecond: count('WEFT_LIMIT_POINTS_PER_SECOND', '50000', {
    max: 1_000_000_000,
    description: 'Maximum values that one agent reports per second, on average; up to a minute of it at once.',
  }),
  reportMibPerDay: count('WEFT_LIMIT_REPORT_MIB_PER_DAY', '1024', {
    max: 1_000_000_000,
    description: 'Maximum size of the reports of one agent per day, in MiB.',
  }),
  maxUsers: count('WEFT_MAX_USERS', '100000', { max: 100_000_000, description: 'Maximum number of user accounts.' }),
  maxWaitingUsers: count('WEFT_MAX_WAITING_USERS', '1000', {
    max: 1_000_000,
    description: 'Maximum number of accounts that wait for approval.',
  }),
  maxSessions: count('WEFT_MAX_SESSIONS', '100', {
    max: 10_000,
    description: 'Maximum sessions of one user; a login above it ends the one that was used longest ago.',
  }),
  maxAgents: count('WEFT_MAX_AGENTS', '100000', { max: 100_000_000, description: 'Maximum number of agents.' }),
  maxDevices: count('WEFT_MAX_DEVICES', '100000', {
    max: 10_000_000,
    description:
      'Maximum number of devices that are remembered. Above it, devices that are not attached to any access point are forgotten; then new ones are left out.',
  }),
  maxSites: count('WEFT_MAX_SITES', '10000', { max: 100_000, description: 'Maximum number of sites.' }),
  maxApps: count('WEFT_MAX_APPS', '10000', { max: 100_000_000, description: 'Maximum number of third-party apps.' }),
  maxOpenJobs: count('WEFT_MAX_OPEN_JOBS', '1000', {
    max: 1_000_000,
    description: 'Maximum unfinished jobs of one caller.',
  }),
  maxRunningJobsPerCaller: count('WEFT_MAX_RUNNING_JOBS_PER_CALLER', '4', {
    max: 1_000,
    description: 'Maximum jobs of one caller that one worker runs at the same time; more wait for their turn.',
  }),
  maxSubscriptionsPerCaller: count('WEFT_MAX_SUBSCRIPTIONS_PER_CALLER', '100', {
    max: 10_000,
    description:
      'Maximum live subscriptions of one caller that one worker runs at the same time; more wait for their turn.',
  }),
  callbackMbPerDay: count('WEFT_LIMIT_CALLBACK_MB_PER_DAY', '10240', {
    max: 100_000_000,
    description:
      'Maximum results that one caller posts to its own jobs in a day, in MiB; a tenth of it at once. Workers with the token of a job do not count.',
  }),
  maxResultsMbPerCaller: count('WEFT_MAX_RESULTS_MB_PER_CALLER', '1024', {
    max: 100_000_000,
    description:
      'Maximum stored results of the jobs of one caller, in MiB as they are stored (compressed); beyond that its new jobs and results are refused (429) until old ones are removed.',
  }),
  maxResultsMb: count('WEFT_MAX_RESULTS_MB', '4096', {
    max: 100_000_000,
    description: 'Maximum stored results of all jobs, in MiB as they are stored (compressed).',
  }),
  maxWaitingJobs: count('WEFT_MAX_WAITING_JOBS', '10000', {
    max: 10_000_000,
    description: 'Maximum jobs that wait while the broker is unavailable; then requests are answered with 503.',
  }),
  maxSocketsPerCaller: count('WEFT_MAX_SOCKETS_PER_CALLER', '200', {
    max: 1_000_000,
    description: 'Maximum WebSockets of one caller on one node.',
  }),
  emulatorMaxAccessPoints: count('WEFT_EMULATOR_MAX_ACCESS_POINTS', '10000', {
    max: 20_000,
    description: 'Maximum emulated access points in one request.',
  }),
  emulatorMaxPerCaller: count('WEFT_EMULATOR_MAX_PER_CALLER', '10000', {
    max: 1_000_000,
    description: 'Maximum emulated access points of one caller at the same time.',
  }),
  emulatorMaxRunsPerCaller: count('WEFT_EMULATOR_MAX_RUNS_PER_CALLER', '10', {
    max: 100_000,
    description: 'Maximum emulated networks of one caller that have not ended, those that wait included.',
  }),
  emulatorRunningPerCaller: count('WEFT_EMULATOR_RUNNING_PER_CALLER', '4', {
    max: 100_000,
    description:
      'Maximum emulated networks of one caller that run at the same time; more wait for their turn. Does not hold for administrators.',
  }),
  emulatorMaxDeviceSeconds: count('WEFT_EMULATOR_MAX_DEVICE_SECONDS', '10000000000', {
    max: 999_999_999_999_999,
    description:
      'Maximum devices times seconds of model time in the emulated networks of one caller that have not ended.',
  }),
  emulatorMaxHours: count('WEFT_EMULATOR_MAX_HOURS', '168', {
    max: 8760,
    description: 'Maximum duration of an emulated network, in hours of model time.',
  }),
  emulatorMaxRuns: withDefault('WEFT_EMULATOR_MAX_RUNS', 'N', '8', {
    read: read.wholeNumber(0, 1000),
    description: 'Maximum emulated networks that one process runs at the same time; more are queued. 0: none.',
  }),
  maxConnections: count('WEFT_MAX_CONNECTIONS', '20000', {
    max: 1_000_000,
    description:
      'Maximum open connections. When all are in use, idle connections without a login are closed for new ones, those of the address with the most of them first; if there are none, new ones are closed.',
  }),
} as const;
