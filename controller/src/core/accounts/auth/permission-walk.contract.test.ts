// Walks every route of a running server with every kind of credential, on the caller's own record and on another's. The
// expectation comes from the table below: the one copy of the permissions that knows nothing of those in the code.
import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLong } from '../../../../../test/rounds.ts';
import { bearer, connect, refusal } from '../../../../../test/socket-client.ts';
import { type Answer, adminUsername, password, startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { readOrCreateSecret } from '../../base/secret-file.ts';
import { generateSecret, Keyring } from '../../base/secrets.ts';
import { CallbackTokens } from '../../jobs/publish/callback-tokens.ts';

// `open` to everybody; yes; no; `self`: only on its own record; `glob`: only within the `agents` of its permissions.
// `own`: only on what it owns; `emulated`: only on agents that it has spun up, of which it has none here. Of an app, after a
// colon: the key of its permissions that must not be false (`alarms`: that must be true; `config:draft`: that must say so much or more; behind `own`: that opens what others own). At the end: what a user with grants must have been granted instead;
// `enrol`: also for the holder of an enrolment token; `callback`: also for the holder of a callback token, on its job. `?agent`,
// `?job_number`: the query names the agent or the job.
const table = `
  POST   /api/v1/token/                           open open open open
  DELETE /api/v1/token/                           yes  yes  yes  yes
  POST   /api/v1/token/renew                      yes  yes  no   no
  POST   /api/v1/users/me/password                yes  yes  no   no
  GET    /api/v1/users/{username}/sessions        yes  self no   no
  DELETE /api/v1/users/{username}/sessions/{id}   yes  self no   no
  POST   /api/v1/users/{username}/sessions/{id}/extend yes  no   no   no
  POST   /api/v1/users/public                     yes  no   no   no
  POST   /api/v1/users/signup                     open open open open
  POST   /api/v1/users/password-recovery          open open open open
  POST   /api/v1/users/reset-password             open open open open
  GET    /api/v1/users/                           yes  no   no   no        auditor
  POST   /api/v1/users/                           yes  no   no   no
  GET    /api/v1/users/me                         yes  yes  no   no
  GET    /api/v1/users/{username}                 yes  self no   no
  PUT    /api/v1/users/{username}                 yes  self no   no
  DELETE /api/v1/users/{username}                 yes  self no   no
  GET    /api/v1/users/{username}/grants          yes  self no   no
  PUT    /api/v1/users/{username}/grants          yes  no   no   no
  GET    /api/v1/grants                           yes  no   no   no        auditor
  GET    /api/v1/waiting_users                    yes  no   no   no        auditor
  POST   /api/v1/waiting_users/{username}/approve yes  no   no   no
  DELETE /api/v1/waiting_users/{username}         yes  no   no   no
  GET    /api/v1/disabled_users                   yes  no   no   no        auditor
  PUT    /api/v1/disabled_users/{username}        yes  no   no   no
  DELETE /api/v1/disabled_users/{username}        yes  no   no   no
  POST   /api/v1/agents/public                    yes  no   no   no        enrol
  GET    /api/v1/agents/                          yes  yes  yes  yes:read
  POST   /api/v1/bulk                             yes  yes  no   yes:commands
  GET    /api/v1/bulk/{job_number}                yes  own  no   own
  GET    /metrics/agents                          yes  yes  yes  yes:read
  POST   /api/v1/selectors/explain                yes  yes  yes  yes:read
  POST   /api/v1/agents/                          yes  no   no   no        manager
  GET    /api/v1/agents/{ap_id}                   yes  yes  self glob:read
  PUT    /api/v1/agents/{ap_id}                   yes  no   self no
  DELETE /api/v1/agents/{ap_id}                   yes  no   no   no        manager
  GET    /api/v1/agents/{ap_id}/commands          no   no   self no
  POST   /api/v1/agents/{ap_id}/push_secret       yes  no   self no
  GET    /api/v1/agents/{ap_id}/labels            yes  yes  self glob:read
  PATCH  /api/v1/agents/{ap_id}/labels            yes  no   no   no        manager
  GET    /api/v1/config/layers                    yes  yes  no   yes:config:read manager
  GET    /api/v1/config/layers/{id}               yes  yes  no   yes:config:read manager
  GET    /api/v1/config/layers/{id}/versions      yes  yes  no   yes:config:read manager
  GET    /api/v1/config/variables                 yes  yes  no   yes:config:read manager
  PUT    /api/v1/config/variables                 yes  no   no   yes:config:roll_out manager
  GET    /api/v1/config/secrets                   yes  yes  no   yes:config:read manager
  PUT    /api/v1/config/secrets                   yes  no   no   yes:config:roll_out manager
  DELETE /api/v1/config/secrets/{name}            yes  no   no   yes:config:roll_out manager
  GET    /api/v1/config/change_sets               yes  yes  no   yes:config:read manager
  POST   /api/v1/config/change_sets               yes  no   no   yes:config:draft manager
  GET    /api/v1/config/change_sets/{id}          yes  yes  no   yes:config:read manager
  PUT    /api/v1/config/change_sets/{id}          yes  no   no   yes:config:draft manager
  DELETE /api/v1/config/change_sets/{id}          yes  no   no   yes:config:draft manager
  POST   /api/v1/config/change_sets/{id}/preview  yes  no   no   yes:config:draft manager
  POST   /api/v1/config/change_sets/{id}/rollout  yes  no   no   yes:config:roll_out manager
  GET    /api/v1/rollouts                         yes  yes  no   yes:config:read manager
  GET    /api/v1/rollouts/{id}                    yes  yes  no   yes:config:read manager
  GET    /api/v1/rollouts/{id}/agents             yes  yes  no   yes:config:read manager
  GET    /api/v1/rollouts/{id}/series             yes  yes  no   yes:config:read manager
  POST   /api/v1/rollouts/{id}/pause              yes  no   no   yes:config:roll_out manager
  POST   /api/v1/rollouts/{id}/resume             yes  no   no   yes:config:roll_out manager
  POST   /api/v1/rollouts/{id}/revert             yes  no   no   yes:config:roll_out manager
  POST   /api/v1/rollouts/{id}/abort              yes  no   no   yes:config:roll_out manager
  GET    /api/v1/agents/{ap_id}/config            yes  yes  self glob:config:read
  POST   /api/v1/agents/{ap_id}/config/apply      yes  no   no   yes:config:roll_out manager
  POST   /api/v1/agents/{ap_id}/config/adopt      yes  no   no   yes:config:roll_out manager
  GET    /api/v1/agents/{ap_id}/config/next       no   no   self no
  POST   /api/v1/agents/{ap_id}/config/running    no   no   self no
  POST   /api/v1/agents/{ap_id}/config/{id}/result no   no   self no
  GET    /api/v1/sites                            yes  yes  no   yes:read
  POST   /api/v1/sites                            yes  no   no   no
  GET    /api/v1/sites/{id}                       yes  yes  no   yes:read
  PUT    /api/v1/sites/{id}                       yes  no   no   no
  DELETE /api/v1/sites/{id}                       yes  no   no   no
  POST   /api/v1/third_party_apps/                yes  no   no   no
  GET    /api/v1/third_party_apps/                yes  no   no   no
  GET    /api/v1/third_party_apps/{app_name}      yes  no   no   self
  PUT    /api/v1/third_party_apps/{app_name}      yes  no   no   no
  DELETE /api/v1/third_party_apps/{app_name}      yes  no   no   no
  POST   /api/v1/enrolment_tokens                 yes  no   no   no        manager
  GET    /api/v1/enrolment_tokens                 yes  no   no   no        manager
  DELETE /api/v1/enrolment_tokens/{id}            yes  no   no   no        manager
  GET    /api/v1/audit                            yes  no   no   no        auditor
  GET    /api/v1/events                           yes  yes  yes  yes:read
  GET    /api/v1/events/stream                    yes  yes  yes  yes:read
  GET    /api/v1/retention                        yes  no   no   no        auditor
  POST   /api/v1/retention/resume                 yes  no   no   no
  GET    /api/v1/webhooks                         yes  no   no   no        auditor
  POST   /api/v1/webhooks                         yes  no   no   no
  GET    /api/v1/webhooks/{id}                    yes  no   no   no        auditor
  PUT    /api/v1/webhooks/{id}                    yes  no   no   no
  DELETE /api/v1/webhooks/{id}                    yes  no   no   no
  POST   /api/v1/webhooks/{id}/secret             yes  no   no   no
  GET    /api/v1/webhooks/{id}/deliveries         yes  no   no   no        auditor
  POST   /api/v1/webhooks/{id}/test               yes  no   no   no
  POST   /api/v1/webhooks/{id}/replay             yes  no   no   no
  GET    /api/v1/notifications                    yes  no   no   no        auditor
  POST   /api/v1/notifications                    yes  no   no   no
  GET    /api/v1/notifications/{id}               yes  no   no   no        auditor
  PUT    /api/v1/notifications/{id}               yes  no   no   no
  DELETE /api/v1/notifications/{id}               yes  no   no   no
  POST   /api/v1/notifications/{id}/test          yes  no   no   no
  POST   /api/v1/agent_update/update              no   no   yes  no
  POST   /api/v1/write?agent                      yes  no   self no
  POST   /write?agent                             yes  no   self no
  POST   /api/v2/write?agent                      yes  no   self no
  GET    /api/v1/metrics/agent_details            yes  yes  yes  yes:read
  GET    /api/v1/metrics/agent_data?agent         yes  yes  self glob:read
  GET    /api/v1/metrics/agent_multi_metric_data?agent yes  yes  self glob:read
  GET    /api/v1/metrics/agent_metrics?agent      yes  yes  self glob:read
  GET    /api/v1/metrics/export?agent             yes  yes  self glob:read
  GET    /api/v1/metrics/latest                   yes  yes  yes  yes:read
  GET    /api/v1/metrics/series                   yes  yes  yes  yes:read
  GET    /api/v1/metrics/presence                 yes  yes  yes  yes:read
  GET    /api/v1/metrics/stream                   yes  yes  yes  yes:read
  POST   /api/v1/agent_details/request_all_agents_details yes  yes  no   yes:read
  POST   /api/v1/agent_data/request_agent_data?agent_id yes  yes  self glob:read
  GET    /api/v1/jobs                             yes  yes  yes  yes
  GET    /api/v1/jobs/{job_number}                yes  own  own  own
  DELETE /api/v1/jobs/{job_number}                yes  own  own  own
  POST   /api/v1/send_command?agent_id            yes  emulated no   glob:commands operator
  POST   /api/v1/commands/batch                   yes  yes  no   yes:commands operator
  GET    /api/v1/commands                         yes  yes  no   yes
  GET    /api/v1/commands/{command_id}            yes  own  no   own
  DELETE /api/v1/commands/{command_id}            yes  own  no   own
  POST   /api/v1/agents/{ap_id}/commands/{command_id} no   no   self no
  GET    /api/v1/conflicts                        yes  yes  no   yes
  GET    /api/v1/conflicts/rules                  yes  yes  no   yes
  PUT    /api/v1/conflicts/rules                  yes  no   no   no
  GET    /api/v1/devices                          yes  yes  no   yes:read
  GET    /api/v1/devices/{device}                 yes  yes  no   yes:read
  GET    /api/v1/agents/{ap_id}/devices           yes  yes  self glob:read
  GET    /api/v1/devices/{device}/history         yes  yes  no   yes:read
  POST   /api/v1/devices/{device}/watch           yes  yes  no   yes:read
  DELETE /api/v1/devices/{device}/watch           yes  yes  no   yes:read
  POST   /api/v1/devices/{device}/identities      yes  no   no   no
  DELETE /api/v1/devices/{device}                 yes  no   no   no
  GET    /api/v1/device_privacy                   yes  no   no   no        auditor
  PUT    /api/v1/device_privacy                   yes  no   no   no
  GET    /api/v1/alarms                           yes  yes  yes  yes:read
  POST   /api/v1/alarms/raise                     no   no   no   yes:alarms
  POST   /api/v1/alarms/clear                     no   no   no   yes:alarms
  GET    /api/v1/alarms/{alarm_id}                yes  yes  yes  yes:read
  POST   /api/v1/alarms/{alarm_id}/acknowledge    yes  own  no   no        operator
  POST   /api/v1/alarms/{alarm_id}/shelve         yes  own  no   no        operator
  POST   /api/v1/alarms/{alarm_id}/unshelve       yes  own  no   no        operator
  POST   /api/v1/alarms/{alarm_id}/clear          yes  own  no   no        operator
  GET    /api/v1/alarms/{alarm_id}/diagnosis      yes  yes  yes  yes:read
  GET    /api/v1/incidents                        yes  yes  yes  yes:read
  GET    /api/v1/incidents/{incident_id}          yes  yes  yes  yes:read
  POST   /api/v1/incidents/{incident_id}/acknowledge yes  own  no   no        operator
  POST   /api/v1/incidents/{incident_id}/silence  yes  own  no   no        operator
  GET    /api/v1/alarm_rules                      yes  yes  no   yes:read
  POST   /api/v1/alarm_rules                      yes  no   no   no
  POST   /api/v1/alarm_rules/preview              yes  no   no   no
  GET    /api/v1/alarm_rules/{rule_id}            yes  yes  no   yes:read
  PUT    /api/v1/alarm_rules/{rule_id}            yes  no   no   no
  DELETE /api/v1/alarm_rules/{rule_id}            yes  no   no   no
  POST   /api/v1/alarm_rules/{rule_id}/reset      yes  no   no   no
  GET    /api/v1/silences                         yes  yes  no   no
  POST   /api/v1/silences                         yes  no   no   no        manager
  GET    /api/v1/silences/{silence_id}            yes  yes  no   no
  PUT    /api/v1/silences/{silence_id}            yes  no   no   no        manager
  DELETE /api/v1/silences/{silence_id}            yes  no   no   no        manager
  POST   /api/v1/emulator/spinup                  yes  yes  no   yes:emulator operator
  GET    /api/v1/emulator                         yes  yes  no   yes
  GET    /api/v1/emulator/{job_number}            yes  own  no   own
  POST   /api/v1/emulator/{job_number}/stop       yes  own  no   own
  POST   /api/v1/emulator/{job_number}/faults     yes  own  no   own
  POST   /api/v1/emulator/{job_number}/step       yes  own  no   own
  POST   /api/v1/emulator/what_if                 yes  yes  no   yes
  GET    /api/v1/emulator/{job_number}/coverage   yes  own  no   own
  POST   /api/v1/emulator/{job_number}/coverage   yes  own  no   own
  GET    /api/v1/energy                           yes  yes  no   yes:read
  GET    /api/v1/energy/export                    yes  yes  no   yes:read
  POST   /api/v1/energy/rerun                     yes  yes  no   yes
  GET    /api/v1/health                           yes  yes  no   yes:read
  GET    /api/v1/health/figures                   yes  yes  no   yes:read
  GET    /api/v1/health/agents/{ap_id}            yes  yes  self glob:read
  GET    /api/v1/version                          open open open open
  POST   /api/v1/callback/emulator/lease?job_number no   no   no   no        callback
  POST   /api/v1/callback/agent_data?job_number   yes  own  no   own:callbacks callback
  POST   /api/v1/callback/agent_details?job_number yes  own  no   own:callbacks callback
  POST   /api/v1/callback/emulator?job_number     yes  own  no   own:callbacks callback
`;
type Known = 'admin' | 'user' | 'agent' | 'app';
interface Row {
  method: string;
  path: string;
  rules: Record<Known, string>;
  right: string | undefined;
  grant: string | undefined;
  openTo: string | undefined;
}
/** The same of WebSockets. */
const socketTable = `
  WS     /api/v1/agents/{ap_id}/channel                    no   no   self no
  WS     /api/v1/ws/{job_number}                           yes  own  own  own
  WS     /ws/{job_number}                                  yes  own  own  own
  WS     /api/v1/callback/agent_data/ws/{job_number}       yes  own  own  own
  WS     /api/v1/callback/agent_details/ws/{job_number}    yes  own  own  own
  WS     /api/v1/callback/emulator/ws/{job_number}         yes  own  own  own
`;
const [rows, socketRows] = [table, socketTable].map((text) =>
  text
    .trim()
    .split('\n')
    .map((line) => {
      const [method = '', path = '', admin = '', user = '', agent = '', ofApp = '', ...more] = line.trim().split(/\s+/);
      const [app = '', right] = ofApp.split(/:(.*)/);
      const openTo = more.find((word) => word === 'enrol' || word === 'callback');
      const grant = more.find((word) => word !== openTo);
      return { method, path, rules: { admin, user, agent, app }, right, grant, openTo };
    }),
) as [Row[], Row[]];
type Target = 'own' | 'foreign';

const names = { admin: adminUsername, user: 'ada@weft.test', agent: 'ap-1', app: 'app-1' };
const foreign: Record<string, string> = {
  username: 'bob@weft.test',
  ap_id: 'roof-1',
  app_name: 'app-2',
  id: 'none',
  alarm_id: 'none',
  device: 'dev-aaaaaaaaaaaaaaaa',
  rule_id: 'none',
  silence_id: 'none',
  name: 'none',
};

let weft: TestWeft;
let known: Record<Known, string>;
let unknown: Record<string, string | undefined>;
let enrolment: string;
let callbacks: CallbackTokens;
let ownJobs: Record<Known, string>;
/** By name: one without each right, and one whose time is over. */
const limitedApps: Record<string, { without: string[]; token: string }> = {};
const workers: Record<string, string> = {};
/** By name: one of each role, and what the role includes of those that operations ask for. */
const grantedUsers: Record<string, { includes: string[]; token: string }> = {};
const included = { viewer: [], operator: ['operator'], manager: ['operator', 'manager'], auditor: ['auditor'] };
let ownCommands: Record<Known, string>;

beforeAll(async () => {
  weft = await startWeft();
  const admin = await weft.admin();
  known = {
    admin,
    user: await weft.user(names.user),
    agent: await weft.agent(names.agent),
    app: await weft.app(names.app, { agents: ['ap-*'], alarms: true, config: 'roll_out' }),
  };
  const post = async (path: string, json: unknown) => {
    const answer = await weft.request('POST', path, { token: admin, json });
    expect(answer.status).toBe(200);
    return answer.body;
  };
  await post('/api/v1/users/', { username: foreign.username, password, roles: ['user'] });
  await post('/api/v1/agents/', { ap_id: foreign.ap_id, password, configuration: {} });
  await post('/api/v1/third_party_apps/', { app_name: foreign.app_name, api_key: password, permissions: {} });
  for (const [without, limit] of [
    ['read', { read: false }],
    ['commands', { commands: false }],
    ['emulator', { emulator: false }],
    ['alarms', { alarms: undefined }],
    ['config:roll_out', { config: 'draft' }],
    ['config:draft config:roll_out', { config: 'read' }],
    ['config:read config:draft config:roll_out', { config: undefined }],
    ['time', { expires_at: '2026-01-01T00:00:00Z' }],
  ] as const) {
    const name = `app-without-${without.replaceAll(/[ :]/g, '-')}`;
    const token = await weft.app(name, { agents: ['ap-*'], alarms: true, config: 'roll_out', ...limit });
    limitedApps[name] = { without: without.split(' '), token };
  }
  for (const [who, permissions] of Object.entries({
    yes: { callbacks: true, agents: [] },
    no: { callbacks: false },
    readsOnly: { callbacks: true, write: false },
    expired: { callbacks: true, expires_at: '2026-01-01T00:00:00Z' },
  })) {
    workers[who] = await weft.app(`worker-${who}`, permissions);
  }
  for (const [role, includes] of Object.entries(included)) {
    const username = `${role}@weft.test`;
    grantedUsers[username] = { includes, token: await weft.user(username) };
    const grants = await weft.request('PUT', `/api/v1/users/${username}/grants`, { token: admin, json: [{ role }] });
    expect(grants.status).toBe(200);
  }
  enrolment = (await post('/api/v1/enrolment_tokens', { ap_id_pattern: 'ap-*', max_uses: 100 })).token;
  const ours = new Keyring(readOrCreateSecret(weft.config.dataDir));
  callbacks = new CallbackTokens(ours);
  const askedBy = async (token: string): Promise<string> =>
    (await weft.request('POST', `/api/v1/agent_data/request_agent_data?agent_id=ap-1${times}`, { token })).body
      .job_number;
  ownJobs = {
    admin: await askedBy(known.admin),
    user: await askedBy(known.user),
    agent: await askedBy(known.agent),
    app: await askedBy(known.app),
  };
  foreign.job_number = await askedBy(await weft.login('user', foreign.username!));
  const commandOf = async (token: string, name: string): Promise<string> =>
    (await weft.request('POST', `/api/v1/send_command?agent_id=ap-1&command=${name}&hold_seconds=0`, { token })).body
      .command_id;
  // Users may command what they have spun up, and agents nobody: theirs is a command that is not there.
  const nobodys = randomUUID();
  ownCommands = {
    admin: await commandOf(admin, 'wave'),
    user: nobodys,
    agent: nobodys,
    app: await commandOf(known.app, 'nod'),
  };
  foreign.command_id = await commandOf(admin, 'bow');
  unknown = {
    'no token': undefined,
    garbage: 'garbage',
    'an expired token': resigned(admin, ours, { exp: Math.floor(Date.now() / 1000) - 1 }),
    "another installation's token": resigned(admin, new Keyring(generateSecret()), {}),
  };
});
afterAll(() => weft.stop());

/** The claims of a token with some of them changed, signed by the given keyring. */
function resigned(token: string, keyring: Keyring, changes: object): string {
  const [header, payload = ''] = token.split('.');
  const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), ...changes };
  const signed = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  return `${signed}.${createHmac('sha256', keyring.tokenKeys[0]!).update(signed).digest('base64url')}`;
}

const times = '&start_time=2026-01-01T00:00:00Z&end_time=2026-01-02T00:00:00Z';
/** What a query needs besides the agent, for the answer to depend on the agent alone. */
const enough: Record<string, string> = {
  '/api/v1/agent_data/request_agent_data?agent_id': times,
  '/api/v1/send_command?agent_id': '&command=wave&dry_run=true',
  '/api/v1/metrics/agent_multi_metric_data?agent': '&metrics=x',
  '/api/v1/metrics/export?agent': '&start=2026-01-01T00:00:00Z&end=2026-01-02T00:00:00Z',
};
/** Asked for in a way that is refused once the caller is let in: a stream never ends by itself, and a secret belongs to something. */
const unanswerable: Record<string, string> = {
  '/api/v1/metrics/stream': `?after=${'x'.repeat(65)}`,
  '/api/v1/events/stream': '?after=x',
  '/api/v1/config/secrets/{name}': '?ap_id=nobody',
};

/** A request that harms nothing even where it is let in: nothing in its body, and nothing of others' to delete. */
function call({ method, path }: Row, token: string | undefined, name: string): Promise<Answer> {
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  const url = path.replace(/\{\w+\}/, encodeURIComponent(name)).replace(/\?(\w+)$/, `?$1=${name}${enough[path] ?? ''}`);
  const search = method === 'GET' && path.endsWith('/coverage') ? `?${new URLSearchParams(radioMap)}` : '';
  const json = bodyOf(path);
  return weft.request(method, url + (unanswerable[path] ?? search), { token, ...(hasBody && { json }) });
}

const radioMap = { layer: 'signal', technology: '5G' };

function bodyOf(path: string): unknown {
  if (path.endsWith('/faults')) return { agent_id: 'x', kind: 'crash', seconds: 1 };
  if (path.endsWith('/step')) return { seconds: 1 };
  if (path.endsWith('/shelve')) return { seconds: 60 };
  if (path.endsWith('/silence')) return { until: new Date(Date.now() + 600_000).toISOString() };
  if (path.endsWith('/coverage')) return { ...radioMap, commands: [{ agent_id: 'x', command: 'sleep' }] };
  return path.includes('/callback/') ? [] : {};
}

function nameOf(row: Row, target: Target, caller?: Known, own = names[caller ?? 'admin']): string {
  if (target === 'foreign') return row.method === 'DELETE' ? 'nobody' : foreign[parameterOf(row) ?? '']!;
  if (parameterOf(row) === 'job_number') return ownJobs[caller ?? 'admin'];
  if (parameterOf(row) === 'command_id') return ownCommands[caller ?? 'admin'];
  // What an app calls its own, among agents, is what its permissions name.
  if (caller === 'app' && parameterOf(row) === 'ap_id') return names.agent;
  return own;
}

function parameterOf({ path }: Row): string | undefined {
  const inQuery = /\?(\w+)$/.exec(path)?.[1];
  if (inQuery !== undefined) return inQuery === 'job_number' ? inQuery : 'ap_id';
  return /\{(\w+)\}/.exec(path)?.[1];
}

function inTurn<Item>(items: readonly Item[], row: Row): Item {
  return items[rows.indexOf(row) % items.length]!;
}

/** It ends the token that it is called with. */
function isLogout({ method, path }: Row): boolean {
  return method === 'DELETE' && path === '/api/v1/token/';
}

function loginAgain(caller: Known): Promise<string> {
  const kind = caller === 'app' ? 'third_party_app' : caller === 'agent' ? 'agent' : 'user';
  return weft.login(kind, names[caller]);
}

function targetsOf(row: Row): Target[] {
  return parameterOf(row) === undefined ? ['own'] : ['own', 'foreign'];
}

function expectRefusal(answer: Answer, status: number, who: string): void {
  expect(answer.status, who).toBe(status);
  expect(answer.headers.get('www-authenticate'), who).toBe(status === 401 ? 'Bearer' : null);
  expect(answer.body, who).toEqual({ detail: expect.any(String), code: expect.stringMatching(/^[a-z_]+$/) });
}

function expectAdmission(answer: Answer, who: string): void {
  expect([200, 404, 409, 415, 422], who).toContain(answer.status);
}

describe('the permissions of a running server (Z1)', () => {
  it('are written down here for every route that it has', async () => {
    const { paths } = (await weft.request('GET', '/openapi.json')).body;
    const registered = Object.entries<object>(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\/$/, '')}`),
    );
    expect(registered.sort()).toEqual(
      rows.map(({ method, path }) => `${method} ${path.replace(/\/$|\?\w+$/, '')}`).sort(),
    );
  });

  it.each(rows)('refuse at $method $path whoever shows no good token', async (row) => {
    const [none, ...others] = Object.entries(unknown);
    // What is wrong with a token is no matter of the route: one kind of them at each, in turn.
    for (const [who, token] of [none!, ...(isLong ? others : [inTurn(others, row)])]) {
      const answer = await call(row, token, nameOf(row, 'own'));
      if (row.rules.admin === 'open') expectAdmission(answer, who);
      else expectRefusal(answer, 401, who);
    }
    const enrolling = await call(row, enrolment, nameOf(row, 'own'));
    if (row.rules.admin === 'open' || row.openTo === 'enrol') expectAdmission(enrolling, 'an enrolment token');
    else expectRefusal(enrolling, 401, 'an enrolment token');
    const calledBack = await call(row, callbacks.create(ownJobs.admin), nameOf(row, 'own'));
    if (row.rules.admin === 'open' || row.openTo === 'callback') expectAdmission(calledBack, 'a callback token');
    else expectRefusal(calledBack, 401, 'a callback token');
  });

  it.each(rows.filter(({ openTo }) => openTo === 'callback'))(
    'bind a callback token at $method $path to its job',
    async (row) => {
      const token = callbacks.create(ownJobs.admin);
      expectRefusal(await call(row, token, ownJobs.user), 403, 'the holder');
      expectRefusal(await call(row, token.slice(0, -1), ownJobs.admin), 401, 'a forger');
    },
  );

  it.each(rows.filter(({ right }) => right === 'callbacks'))(
    'let apps that are workers in to $method $path, on every job',
    async (row) => {
      expectAdmission(await call(row, workers.yes!, foreign.job_number!), 'a worker');
      expectRefusal(await call(row, workers.yes!, randomUUID()), 404, 'a worker, without a job');
      for (const who of ['no', 'readsOnly', 'expired'])
        expectRefusal(await call(row, workers[who]!, foreign.job_number!), 404, who);
    },
  );

  it.each(rows)('let in to $method $path whom the table names, and nobody else', async (row) => {
    for (const caller of Object.keys(row.rules) as Known[]) {
      for (const target of targetsOf(row)) {
        const isSelfRemoval = row.method === 'DELETE' && target === 'own' && row.rules[caller] === 'self';
        if (isSelfRemoval) continue;
        const who = `${caller}, ${target}`;
        const token = isLogout(row) ? await loginAgain(caller) : known[caller];
        const answer = await call(row, token, nameOf(row, target, caller));
        const rule = row.rules[caller];
        if (rule === 'no' || rule === 'emulated' || (rule === 'self' && target === 'foreign'))
          expectRefusal(answer, 403, who);
        else if ((rule === 'glob' || rule === 'own') && target === 'foreign') expectRefusal(answer, 404, who);
        else expectAdmission(answer, who);
      }
    }
  });

  it.each(socketRows)('let in to $method $path whom the table names, and nobody else', async (row) => {
    const address = (name: string) => row.path.replace(/\{\w+\}/, name);
    for (const token of Object.values(unknown)) {
      const options = token === undefined ? {} : bearer(token);
      expect((await refusal(weft.url, address(nameOf(row, 'own')), options)).status).toBe(401);
    }
    for (const caller of Object.keys(row.rules) as Known[]) {
      for (const target of ['own', 'foreign'] as const) {
        const rule = row.rules[caller];
        const path = address(nameOf(row, target, caller));
        const isForeign = target === 'foreign' && rule !== 'yes';
        if (rule === 'no' || isForeign) {
          const { status } = await refusal(weft.url, path, bearer(known[caller]));
          expect(status, `${caller}, ${target}`).toBe(rule === 'own' ? 404 : 403);
        } else {
          const { socket, closed } = await connect(weft.url, path, bearer(known[caller]));
          socket.terminate();
          await closed;
        }
      }
    }
  });

  it.each(rows)('ask an app at $method $path for the right that belongs to it, and for no other', async (row) => {
    const right = row.rules.app === 'own' ? undefined : row.right;
    const apps = Object.entries(limitedApps);
    const isRefused = ([, { without }]: (typeof apps)[number]) =>
      (right !== undefined && without.includes(right)) || without.includes('time');
    // Of those that have it one, in turn.
    const asked = [
      ...apps.filter(isRefused),
      inTurn(
        apps.filter((each) => !isRefused(each)),
        row,
      ),
    ];
    for (const [name, { without, token }] of isLong ? apps : asked) {
      const shown = isLogout(row) ? await weft.login('third_party_app', name) : token;
      const answer = await call(row, shown, nameOf(row, 'own', 'app', name));
      if (row.rules.app === 'no' || (right !== undefined && (without.includes(right) || without.includes('time')))) {
        expectRefusal(answer, 403, name);
        expect(answer.body.code, name).toBe(
          row.rules.app === 'no' || !without.includes('time') ? 'not_permitted' : 'permissions_expired',
        );
      } else expectAdmission(answer, name);
    }
  });

  it.each(rows)('ask a user with grants at $method $path for the one that belongs to it', async (row) => {
    for (const [username, { includes, token }] of Object.entries(grantedUsers)) {
      if (row.method === 'DELETE' && row.rules.user === 'self') continue;
      const shown = isLogout(row) ? await weft.login('user', username) : token;
      const answer = await call(row, shown, nameOf(row, 'own', 'user', username));
      const isPermitted = row.grant === undefined ? row.rules.user !== 'no' : includes.includes(row.grant);
      if (isPermitted) expectAdmission(answer, username);
      else expectRefusal(answer, 403, username);
    }
  });

  it('let a user remove itself', async () => {
    const token = await weft.user('gone@weft.test');
    expect((await weft.request('DELETE', '/api/v1/users/gone%40weft.test', { token })).status).toBe(200);
    expectRefusal(await weft.request('GET', '/api/v1/users/me', { token }), 401, 'the removed user');
  });

  it('let anybody in to create the first administrator, and nobody from then on', async () => {
    const empty = await startWeft();
    try {
      const create = () => empty.request('POST', '/api/v1/users/public', { json: {} });
      expect((await create()).status).toBe(422);
      await empty.admin();
      expectRefusal(await create(), 401, 'nobody');
    } finally {
      await empty.stop();
    }
  });

  it('bind an enrolment token to the names it is for', async () => {
    const enrol = (ap_id: string) =>
      weft.request('POST', '/api/v1/agents/public', { token: enrolment, json: { ap_id, password, configuration: {} } });
    expect((await enrol('ap-enrolled')).status).toBe(200);
    expectRefusal(await enrol('roof-2'), 403, 'the holder');
  });

  it('refuse an app whose right to read was taken away, or has expired, from its next request on', async () => {
    const token = await weft.app('reader');
    const read = () => weft.request('GET', '/api/v1/agents/ap-1', { token });
    for (const [granted, status] of [
      [{}, 200],
      [{ read: false }, 403],
      [{ expires_at: '2020-01-01T00:00:00Z' }, 403],
      [{ expires_at: '1577836800' }, 403],
      [{ agents: [] }, 404],
      [{ agents: ['ap-?'], read: true }, 200],
    ] as const) {
      const change = { token: known.admin, json: { permissions: granted } };
      expect((await weft.request('PUT', '/api/v1/third_party_apps/reader', change)).status).toBe(200);
      expect((await read()).status, JSON.stringify(granted)).toBe(status);
    }
  });
});

describe('the order of checks', () => {
  const broken = { body: '{', headers: { 'content-type': 'application/json' } };

  it.each([
    ['PUT', '/api/v1/users/nobody@weft.test', 'user', { password: 'a new password' }],
    ['PUT', '/api/v1/agents/nobody', 'user', { configuration: {} }],
    ['PUT', '/api/v1/third_party_apps/nobody', 'app', { permissions: {} }],
  ] as const)('at %s %s is 401, 403, 422, 404', async (method, path, refused, good) => {
    const status = async (token: string | undefined, input: object) =>
      (await weft.request(method, path, { token, ...input })).status;
    expect(await status(undefined, broken)).toBe(401);
    expect(await status(known[refused], broken)).toBe(403);
    expect(await status(known.admin, broken)).toBe(422);
    expect(await status(known.admin, { json: good })).toBe(404);
  });

  it.each([
    ['/api/v1/users/', { username: foreign.username, password, roles: ['user'] }],
    ['/api/v1/agents/', { ap_id: foreign.ap_id, password, configuration: {} }],
    ['/api/v1/third_party_apps/', { app_name: foreign.app_name, api_key: password, permissions: {} }],
  ])('at POST %s is 401, 403, 422, 409', async (path, duplicate) => {
    const status = async (token: string | undefined, input: object) =>
      (await weft.request('POST', path, { token, ...input })).status;
    expect(await status(undefined, { json: duplicate })).toBe(401);
    expect(await status(known.agent, { json: duplicate })).toBe(403);
    expect(await status(known.admin, { json: { ...duplicate, password: 1, api_key: 1 } })).toBe(422);
    expect(await status(known.admin, { json: duplicate })).toBe(409);
  });

  it('puts the guard before the size and the type of a body', async () => {
    const large = 'x'.repeat(1024 * 1024 + 1);
    const send = async (token: string | undefined, body: string, type: string) =>
      (await weft.request('POST', '/api/v1/agents/', { token, body, headers: { 'content-type': type } })).status;
    expect(await send(undefined, 'x', 'application/xml')).toBe(401);
    expect(await send(known.user, large, 'application/json')).toBe(403);
    expect(await send(known.admin, large, 'application/json')).toBe(413);
  });
});
