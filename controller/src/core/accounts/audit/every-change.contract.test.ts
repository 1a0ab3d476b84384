// Every change over HTTP leaves exactly one entry, with the right actor and without a secret; see also no-change.contract.test.ts.
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../../../../contract/src/index.ts';
import { untilSo } from '../../../../../test/pure/until-so.ts';
import { readMail } from '../../../../../test/smtp.ts';
import { adminUsername, password, startWeft, type TestWeft } from '../../../../../test/weft.ts';
import { openAccounts } from '../../../offline.ts';
import { system } from '../../base/caller.ts';
import type { Part } from '../../part.ts';

let weft: TestWeft;
let admin: string;
const secrets = [password];
beforeAll(async () => {
  // Emulated agents would make changes of their own.
  weft = await startWeft({ WEFT_WEBHOOK_ALLOW: '127.0.0.1', WEFT_EMULATOR_MAX_RUNS: '0' });
  admin = await weft.admin();
});
afterAll(() => weft.stop());

function secret(): string {
  const made = `canary-${randomBytes(12).toString('hex')}`;
  secrets.push(made);
  return made;
}

let count = 0;
function newName(): string {
  count += 1;
  return `name-${count}`;
}
const newUsername = () => `${newName()}@weft.test`;

async function entriesAfter(seq: number): Promise<AuditEntry[]> {
  const { body } = await weft.request('GET', '/api/v1/audit?limit=500', { token: admin });
  return (body.entries as AuditEntry[]).filter((entry) => entry.seq > seq).reverse();
}

const newestSeq = async () => (await entriesAfter(0)).at(-1)?.seq ?? 0;

async function send(method: string, path: string, json?: unknown, token = admin) {
  const answer = await weft.request(method, path, { token, ...(json !== undefined && { json }) });
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBe(200);
  return answer.body;
}

const byAdmin = { kind: 'user', id: expect.any(String), name: adminUsername };
const anonymous = { kind: 'anonymous', id: null, name: 'anonymous' };
const users = '/api/v1/users/';
const agents = '/api/v1/agents/';
const apps = '/api/v1/third_party_apps/';
const sites = '/api/v1/sites';
const tokens = '/api/v1/enrolment_tokens';
const disabled = '/api/v1/disabled_users/';
const webhooks = '/api/v1/webhooks';
const notices = '/api/v1/notifications';
const spinup = '/api/v1/emulator/spinup';
const alarmRules = '/api/v1/alarm_rules';
const devices = '/api/v1/devices';
const deviceChanges: {
  route: string;
  action: string;
  method: string;
  path?: string;
  json?: (identity: string) => unknown;
  detail: (identity: string) => Record<string, unknown>;
}[] = [
  {
    route: 'POST /api/v1/devices/{device}/watch',
    action: 'device_watched',
    method: 'POST',
    path: '/watch',
    json: () => ({}),
    detail: () => ({ until: expect.any(String) }),
  },
  {
    route: 'DELETE /api/v1/devices/{device}/watch',
    action: 'device_unwatched',
    method: 'DELETE',
    path: '/watch',
    detail: () => ({}),
  },
  {
    route: 'POST /api/v1/devices/{device}/identities',
    action: 'device_identities_linked',
    method: 'POST',
    path: '/identities',
    json: (identity) => ({ identity }),
    detail: (identity) => ({ identity }),
  },
  { route: 'DELETE /api/v1/devices/{device}', action: 'device_erased', method: 'DELETE', detail: () => ({}) },
];
/** One that was seen, by its pseudonym. */
async function newDevice(): Promise<string> {
  const device = `emu-0-device-${++count}`;
  const list = { ts: Date.now(), devices: [{ ...unknownValues, identity: device }] };
  await weft.parts.devices.report(`ap-of-${device}`, [list]);
  return weft.parts.devices.names.read(device, []);
}
const unknownValues = {
  rssi_dbm: Number.NaN,
  snr_db: Number.NaN,
  rx_mbps: Number.NaN,
  tx_mbps: Number.NaN,
  connected_seconds: Number.NaN,
  heard: [],
};
const alarmRule = (name: string) => ({ name, condition: { metric: 'm', op: '>', value: 5 }, severity: 'major' });
const network = {
  emulators: [
    { access_point_type: 'WiFi', num_access_points: 3, locations: ['51.45,-2.58'], num_devices: 5, duration: 600 },
  ],
  seed: 7,
};

const newUser = (username: string, roles = ['user']) => ({ username, password: secret(), roles });
const newAgent = (ap_id: string, configuration: object = {}) => ({ ap_id, password: secret(), configuration });
const newApp = (app_name: string, permissions: object = {}) => ({ app_name, api_key: secret(), permissions });
const hook = (name: string) => ({ name, url: `http://127.0.0.1:9/${secret()}` });
const newHook = async () => {
  const name = newName();
  const body = await send('POST', webhooks, hook(name));
  secrets.push(body.secret);
  return { name, id: body.id as string };
};
const newNotice = async () => {
  const name = newName();
  const { id } = await send('POST', notices, { name, email: 'a@weft.test' });
  return { name, id: id as string };
};
const ofNotice = (name: string, id: string, action: string, more: object = {}) => ({
  actor: byAdmin,
  action,
  target: { kind: 'notification', name },
  detail: { id, ...more },
});
const ofHook = (name: string, id: string, action: string, more: object = {}) => ({
  actor: byAdmin,
  action,
  target: { kind: 'webhook', name },
  detail: { id, host: '127.0.0.1:9', ...more },
});
const newToken = async () => {
  const body = await send('POST', tokens, { ap_id_pattern: 'name-*', max_uses: 3 });
  secrets.push(body.token);
  return body as { id: string; token: string };
};

/** What was done, and what the log must say of it. */
interface Done {
  actor: object;
  action: string;
  target: { kind: string; name: string };
  detail: object;
}

interface Change {
  /** As in the OpenAPI document, but for the slash at the end. */
  route: string;
  how: string;
  /** Prepares, and resolves what makes the change. */
  prepare: () => Promise<() => Promise<Done>>;
}

const changes: Change[] = [
  {
    route: 'POST /api/v1/emulator/spinup',
    how: 'one for the whole network',
    prepare: async () => async () => {
      const { job_number } = await send('POST', spinup, network);
      const detail = { access_points: 3, devices: 15, by_type: { WiFi: 3 }, duration: 600, speed: 1, seed: 7 };
      return {
        actor: byAdmin,
        action: 'emulation_started',
        target: { kind: 'emulation', name: job_number },
        detail,
      };
    },
  },
  {
    route: 'POST /api/v1/emulator/{job_number}/stop',
    how: 'one for the whole network',
    prepare: async () => {
      const { job_number } = await send('POST', spinup, network);
      return async () => {
        await send('POST', `/api/v1/emulator/${job_number}/stop`);
        const detail = { state: 'cancelled', access_points: 3 };
        return { actor: byAdmin, action: 'emulation_ended', target: { kind: 'emulation', name: job_number }, detail };
      };
    },
  },
  {
    route: 'POST /api/v1/users/public',
    how: 'by an administrator',
    prepare: async () => async () => {
      const name = newUsername();
      await send('POST', `${users}public`, newUser(name, ['user', 'admin']));
      const detail = { roles: ['user', 'admin'] };
      return { actor: byAdmin, action: 'user_created', target: { kind: 'user', name }, detail };
    },
  },
  {
    route: 'POST /api/v1/users',
    how: 'by an administrator',
    prepare: async () => async () => {
      const name = newUsername();
      await send('POST', users, newUser(name.toUpperCase()));
      return { actor: byAdmin, action: 'user_created', target: { kind: 'user', name }, detail: { roles: ['user'] } };
    },
  },
  {
    route: 'POST /api/v1/users/signup',
    how: 'by anybody',
    prepare: async () => async () => {
      const name = newUsername();
      await send('POST', `${users}signup`, { username: name, password: secret() });
      return {
        actor: anonymous,
        action: 'user_signed_up',
        target: { kind: 'user', name },
        detail: { roles: ['user'] },
      };
    },
  },
  ...(['POST', 'DELETE'] as const).map((method) => ({
    route: `${method} /api/v1/waiting_users/{username}${method === 'POST' ? '/approve' : ''}`,
    how: 'by an administrator',
    prepare: async () => {
      const name = newUsername();
      await weft.parts.users.users.register(newUser(name), system, 'user_signed_up', 1);
      return async () => {
        await send(method, `/api/v1/waiting_users/${name}${method === 'POST' ? '/approve' : ''}`);
        const action = method === 'POST' ? 'user_approved' : 'user_refused';
        return { actor: byAdmin, action, target: { kind: 'user', name }, detail: { roles: ['user'] } };
      };
    },
  })),
  {
    route: 'POST /api/v1/users/me/password',
    how: 'the password, by the user who knows it',
    prepare: async () => {
      const name = newUsername();
      const token = await weft.user(name);
      return async () => {
        const json = { current_password: password, new_password: secret() };
        secrets.push((await send('POST', `${users}me/password`, json, token)).access_token);
        const actor = { kind: 'user', id: expect.any(String), name };
        return { actor, action: 'user_updated', target: { kind: 'user', name }, detail: { fields: ['password'] } };
      };
    },
  },
  {
    route: 'DELETE /api/v1/token',
    how: 'by whoever holds the token',
    prepare: async () => {
      const name = newName();
      const token = await weft.agent(name);
      return async () => {
        await send('DELETE', '/api/v1/token/', undefined, token);
        const actor = { kind: 'agent', id: expect.any(String), name };
        return { actor, action: 'token_ended', target: { kind: 'agent', name }, detail: {} };
      };
    },
  },
  ...(['DELETE', 'POST'] as const).map((method) => ({
    route: `${method} /api/v1/users/{username}/sessions/{id}${method === 'POST' ? '/extend' : ''}`,
    how: 'by an administrator',
    prepare: async () => {
      const name = newUsername();
      await weft.user(name);
      const [session] = await send('GET', `${users}${name}/sessions`);
      return async () => {
        await send(method, `${users}${name}/sessions/${session.id}${method === 'POST' ? '/extend' : ''}`);
        const detail = {
          session: session.id,
          address: session.address,
          client: session.client,
          ends_at: expect.stringMatching(/Z$/),
        };
        const action = method === 'POST' ? 'session_extended' : 'session_ended';
        return { actor: byAdmin, action, target: { kind: 'user', name }, detail };
      };
    },
  })),
  {
    route: 'PUT /api/v1/users/{username}',
    how: 'the password, by the user',
    prepare: async () => {
      const name = newUsername();
      const token = await weft.user(name);
      return async () => {
        await send('PUT', users + name, { password: secret() }, token);
        const actor = { kind: 'user', id: expect.any(String), name };
        return { actor, action: 'user_updated', target: { kind: 'user', name }, detail: { fields: ['password'] } };
      };
    },
  },
  {
    route: 'PUT /api/v1/users/{username}',
    how: 'password and roles, by an administrator',
    prepare: async () => {
      const name = newUsername();
      await send('POST', users, newUser(name));
      return async () => {
        await send('PUT', users + name, { password: secret(), roles: ['admin'] });
        const detail = { fields: ['password', 'roles'], roles: { before: ['user'], after: ['admin'] } };
        return { actor: byAdmin, action: 'user_updated', target: { kind: 'user', name }, detail };
      };
    },
  },
  {
    route: 'DELETE /api/v1/users/{username}',
    how: 'by the user',
    prepare: async () => {
      const name = newUsername();
      const token = await weft.user(name);
      return async () => {
        await send('DELETE', users + name, undefined, token);
        const actor = { kind: 'user', id: expect.any(String), name };
        return { actor, action: 'user_removed', target: { kind: 'user', name }, detail: { roles: ['user'] } };
      };
    },
  },
  {
    route: 'PUT /api/v1/disabled_users/{username}',
    how: 'once, however often it is asked for',
    prepare: async () => {
      const name = newUsername();
      await send('POST', users, newUser(name));
      return async () => {
        await send('PUT', disabled + name);
        await send('PUT', disabled + name);
        return { actor: byAdmin, action: 'user_disabled', target: { kind: 'user', name }, detail: { roles: ['user'] } };
      };
    },
  },
  {
    route: 'DELETE /api/v1/disabled_users/{username}',
    how: 'once, however often it is asked for',
    prepare: async () => {
      const name = newUsername();
      await send('POST', users, newUser(name));
      await send('PUT', disabled + name);
      return async () => {
        await send('DELETE', disabled + name);
        await send('DELETE', disabled + name);
        return { actor: byAdmin, action: 'user_enabled', target: { kind: 'user', name }, detail: { roles: ['user'] } };
      };
    },
  },
  {
    route: 'PUT /api/v1/users/{username}/grants',
    how: 'once, however often the same is asked for',
    prepare: async () => {
      const name = newUsername();
      await send('POST', users, newUser(name));
      const grants = [{ role: 'operator', selector: 'site:uk/bristol/**' }];
      return async () => {
        await send('PUT', `${users}${name}/grants`, grants);
        await send('PUT', `${users}${name}/grants`, grants);
        const target = { kind: 'user', name };
        return { actor: byAdmin, action: 'user_grants_changed', target, detail: { before: [], after: grants } };
      };
    },
  },
  {
    route: 'POST /api/v1/users/reset-password',
    how: 'with a reset token',
    prepare: async () => {
      const name = newUsername();
      await send('POST', users, newUser(name));
      await send('POST', `${users}password-recovery`, { username: name });
      const outbox = join(weft.config.dataDir, 'outbox');
      // One that is still being written has another name.
      const mails = async () => (await readdir(outbox)).filter((file) => file.endsWith('.eml'));
      await untilSo(async () => expect(await mails()).toHaveLength(1));
      const { text } = readMail(await readFile(join(outbox, (await mails())[0]!), 'utf8'));
      const token = /#token=([\w-]+)/.exec(text)![1]!;
      secrets.push(token);
      return async () => {
        await send('POST', `${users}reset-password`, { token, new_password: secret() });
        const detail = { fields: ['password'] };
        return { actor: anonymous, action: 'password_reset', target: { kind: 'user', name }, detail };
      };
    },
  },
  {
    route: 'POST /api/v1/agents/public',
    how: 'by an administrator',
    prepare: async () => async () => {
      const name = newName();
      await send('POST', `${agents}public`, newAgent(name));
      return { actor: byAdmin, action: 'agent_created', target: { kind: 'agent', name }, detail: { keys: [] } };
    },
  },
  {
    route: 'POST /api/v1/agents/public',
    how: 'with an enrolment token',
    prepare: async () => {
      const { id, token } = await newToken();
      return async () => {
        const name = newName();
        await send('POST', `${agents}public`, newAgent(name, { site: secret() }), token);
        const actor = { kind: 'enrolment_token', id, name: id };
        return { actor, action: 'agent_enrolled', target: { kind: 'agent', name }, detail: { keys: ['site'] } };
      };
    },
  },
  {
    route: 'POST /api/v1/agents',
    how: 'by an administrator',
    prepare: async () => async () => {
      const name = newName();
      await send('POST', agents, newAgent(name, { wifi: { passphrase: secret() }, emulated: true }));
      return { actor: byAdmin, action: 'agent_created', target: { kind: 'agent', name }, detail: { keys: ['wifi'] } };
    },
  },
  {
    route: 'POST /api/v1/token',
    how: "an agent's first login",
    prepare: async () => {
      const name = newName();
      await send('POST', agents, { ...newAgent(name), password });
      return async () => {
        await Promise.all([weft.login('agent', name), weft.login('agent', name)]);
        await weft.login('agent', name);
        const actor = { kind: 'agent', id: expect.any(String), name };
        return { actor, action: 'agent_onboarded', target: { kind: 'agent', name }, detail: {} };
      };
    },
  },
  {
    route: 'PUT /api/v1/agents/{ap_id}',
    how: 'password and configuration, by the agent',
    prepare: async () => {
      const name = newName();
      const token = await weft.agent(name, { same: { a: [1] }, gone: 1, changed: secret() });
      return async () => {
        const configuration = { same: { a: [1] }, changed: secret(), added: 1 };
        await send('PUT', agents + name, { password: secret(), configuration }, token);
        const actor = { kind: 'agent', id: expect.any(String), name };
        const detail = { fields: ['password', 'configuration'], keys: ['changed', 'added', 'gone'] };
        return { actor, action: 'agent_updated', target: { kind: 'agent', name }, detail };
      };
    },
  },
  {
    route: 'PUT /api/v1/agents/{ap_id}',
    how: 'very many keys',
    prepare: async () => {
      const name = newName();
      await send('POST', agents, newAgent(name));
      return async () => {
        const keys = Array.from({ length: 600 }, (_, n) => `${n}-`.padEnd(n === 0 ? 300 : 5, 'k'));
        await send('PUT', agents + name, { configuration: Object.fromEntries(keys.map((key) => [key, 1])) });
        const shown = [`${keys[0]!.slice(0, 100)}…`, ...keys.slice(1, 50)];
        const detail = { fields: ['configuration'], keys: shown, more_keys: 550 };
        return { actor: byAdmin, action: 'agent_updated', target: { kind: 'agent', name }, detail };
      };
    },
  },
  {
    route: 'POST /api/v1/agent_update/update',
    how: 'a configuration that changes, by the agent',
    prepare: async () => {
      const name = newName();
      const token = await weft.agent(name, { site: 'a', floor: 1 });
      return async () => {
        const configuration = { site: secret(), floor: 1 };
        await send('POST', '/api/v1/agent_update/update', { rssi: -60, configuration }, token);
        await send('POST', '/api/v1/agent_update/update', { rssi: -61, configuration }, token);
        await send('POST', '/api/v1/agent_update/update', { rssi: -62 }, token);
        const actor = { kind: 'agent', id: expect.any(String), name };
        const detail = { fields: ['configuration'], keys: ['site'] };
        return { actor, action: 'agent_updated', target: { kind: 'agent', name }, detail };
      };
    },
  },
  {
    route: 'PATCH /api/v1/agents/{ap_id}/labels',
    how: 'once, however often it is asked for',
    prepare: async () => {
      const name = newName();
      await send('POST', agents, newAgent(name));
      return async () => {
        await send('PATCH', `${agents}${name}/labels`, { display_name: 'Hall', add_tags: ['b', 'a'] });
        await send('PATCH', `${agents}${name}/labels`, { display_name: 'Hall', add_tags: ['b', 'a'] });
        const detail = { before: { display_name: null, tags: [] }, after: { display_name: 'Hall', tags: ['a', 'b'] } };
        return { actor: byAdmin, action: 'labels_changed', target: { kind: 'agent', name }, detail };
      };
    },
  },
  ...deviceChanges.map(({ route, action, method, path = '', json, detail }) => ({
    route,
    how: 'by an administrator',
    prepare: async () => {
      const [device, identity] = [await newDevice(), await newDevice()];
      return async () => {
        await send(method, `${devices}/${device}${path}`, json?.(identity));
        return { actor: byAdmin, action, target: { kind: 'device', name: device }, detail: detail(identity) };
      };
    },
  })),
  {
    route: 'PUT /api/v1/device_privacy',
    how: 'by an administrator',
    prepare: async () => async () => {
      await send('PUT', '/api/v1/device_privacy', { clear_addresses: true });
      const target = { kind: 'device', name: 'devices' };
      return { actor: byAdmin, action: 'clear_addresses_changed', target, detail: { clear_addresses: true } };
    },
  },
  {
    route: 'POST /api/v1/alarm_rules',
    how: 'by an administrator',
    prepare: async () => async () => {
      const name = newName();
      const { id } = await send('POST', alarmRules, alarmRule(name));
      const target = { kind: 'alarm_rule', name };
      return { actor: byAdmin, action: 'alarm_rule_created', target, detail: { id, rule: expect.anything() } };
    },
  },
  {
    route: 'PUT /api/v1/alarm_rules/{rule_id}',
    how: 'by an administrator',
    prepare: async () => {
      const name = newName();
      const { id } = await send('POST', alarmRules, alarmRule(name));
      return async () => {
        await send('PUT', `${alarmRules}/${id}`, { ...alarmRule(name), severity: 'minor' });
        const detail = { id, keys: ['severity'], before: expect.anything(), after: expect.anything() };
        return { actor: byAdmin, action: 'alarm_rule_updated', target: { kind: 'alarm_rule', name }, detail };
      };
    },
  },
  {
    route: 'POST /api/v1/alarm_rules/{rule_id}/reset',
    how: 'by an administrator',
    prepare: async () => {
      const { items } = await send('GET', alarmRules);
      const rule = items.find(({ product }: { product: string | null }) => product === 'offline');
      await send('PUT', `${alarmRules}/${rule.id}`, { ...rule, severity: 'critical' });
      return async () => {
        await send('POST', `${alarmRules}/${rule.id}/reset`);
        const detail = { id: rule.id, keys: ['severity'], before: expect.anything(), after: expect.anything() };
        const target = { kind: 'alarm_rule', name: rule.name };
        return { actor: byAdmin, action: 'alarm_rule_reset', target, detail };
      };
    },
  },
  {
    route: 'DELETE /api/v1/alarm_rules/{rule_id}',
    how: 'by an administrator',
    prepare: async () => {
      const name = newName();
      const { id } = await send('POST', alarmRules, alarmRule(name));
      return async () => {
        await send('DELETE', `${alarmRules}/${id}`);
        const target = { kind: 'alarm_rule', name };
        return { actor: byAdmin, action: 'alarm_rule_removed', target, detail: { id, product: null } };
      };
    },
  },
  ...(['acknowledge', 'shelve', 'unshelve', 'clear'] as const).map((how) => ({
    route: `POST /api/v1/alarms/{alarm_id}/${how}`,
    how: 'by a user',
    prepare: async () => {
      const name = newName();
      await weft.agent(name);
      const rule = { ...alarmRule(newName()), selector: `name:${name}` };
      const { id: rule_id } = await send('POST', alarmRules, rule);
      await weft.parts.alarms.refresh();
      await weft.record(name, [{ ts: Date.now(), names: ['m'], values: [9], texts: [] }]);
      const id: string = await untilSo(async () => {
        const { items } = await send('GET', `/api/v1/alarms?rule_id=${rule_id}`);
        expect(items).toHaveLength(1);
        return items[0].id;
      });
      if (how === 'unshelve') await send('POST', `/api/v1/alarms/${id}/shelve`, { seconds: 60 });
      const user = newUsername();
      const token = await weft.user(user);
      await send('PUT', `/api/v1/users/${user}/grants`, [{ role: 'operator' }]);
      return async () => {
        const body = how === 'shelve' ? { seconds: 60, note: 'n' } : how === 'unshelve' ? undefined : { note: 'n' };
        await send('POST', `/api/v1/alarms/${id}/${how}`, body, token);
        const words = { acknowledge: 'acknowledged', shelve: 'shelved', unshelve: 'unshelved', clear: 'cleared' };
        const until = how === 'shelve' ? { until: expect.stringMatching(/Z$/) } : {};
        const note = how === 'unshelve' ? {} : { note: 'n' };
        return {
          actor: { kind: 'user', id: expect.any(String), name: user },
          action: `alarm_${words[how]}`,
          target: { kind: 'alarm', name: id },
          detail: { rule: rule.name, subject_kind: 'agent', subject: name, ...until, ...note },
        };
      };
    },
  })),
  ...(['POST', 'PUT', 'DELETE'] as const).map((method) => ({
    route: `${method} /api/v1/silences${method === 'POST' ? '' : '/{silence_id}'}`,
    how: 'by an administrator',
    prepare: async () => {
      const silence = { selector: 'tag:lab', weekly: { days: ['sun'], from: '02:00', until: '05:00' } };
      const before = method === 'POST' ? undefined : await send('POST', '/api/v1/silences', silence);
      return async () => {
        const path = before ? `/api/v1/silences/${before.id}` : '/api/v1/silences';
        const after = await send(method, path, method === 'DELETE' ? undefined : { ...silence, comment: 'c' });
        const action = { POST: 'silence_created', PUT: 'silence_updated', DELETE: 'silence_removed' }[method];
        const detail = { silence: expect.anything(), ...(method === 'PUT' && { before: expect.anything() }) };
        return { actor: byAdmin, action, target: { kind: 'silence', name: before?.id ?? after.id }, detail };
      };
    },
  })),
  {
    route: 'POST /api/v1/bulk',
    how: 'the change as a whole; each access point has entries of its own',
    prepare: async () => {
      const name = newName();
      await send('POST', agents, newAgent(name));
      return async () => {
        const json = { selector: `name:${name}`, action: { labels: { display_name: null } } };
        const { job_number } = await send('POST', '/api/v1/bulk', json);
        const detail = { action: 'labels', selector: `name:${name}`, access_points: 1, waves: 1 };
        return { actor: byAdmin, action: 'bulk_started', target: { kind: 'bulk', name: job_number }, detail };
      };
    },
  },
  {
    route: 'POST /api/v1/sites',
    how: 'by an administrator',
    prepare: async () => async () => {
      const path = newName();
      await send('POST', sites, { path, time_zone: 'Europe/London' });
      const detail = { name: path, time_zone: 'Europe/London' };
      return { actor: byAdmin, action: 'site_created', target: { kind: 'site', name: path }, detail };
    },
  },
  {
    route: 'PUT /api/v1/sites/{id}',
    how: 'one for all that moves',
    prepare: async () => {
      const path = newName();
      const { id } = await send('POST', sites, { path });
      await send('POST', sites, { path: `${path}/hall` });
      return async () => {
        await send('PUT', `${sites}/${id}`, { path: `${path}-b`, name: path });
        const detail = { fields: ['path'], path: { before: path, after: `${path}-b` } };
        return { actor: byAdmin, action: 'site_updated', target: { kind: 'site', name: `${path}-b` }, detail };
      };
    },
  },
  {
    route: 'DELETE /api/v1/sites/{id}',
    how: 'by an administrator',
    prepare: async () => {
      const path = newName();
      const { id } = await send('POST', sites, { path });
      return async () => {
        await send('DELETE', `${sites}/${id}`);
        return { actor: byAdmin, action: 'site_removed', target: { kind: 'site', name: path }, detail: {} };
      };
    },
  },
  {
    route: 'DELETE /api/v1/agents/{ap_id}',
    how: 'by an administrator',
    prepare: async () => {
      const name = newName();
      await send('POST', agents, newAgent(name));
      return async () => {
        await send('DELETE', agents + name);
        return { actor: byAdmin, action: 'agent_removed', target: { kind: 'agent', name }, detail: {} };
      };
    },
  },
  {
    route: 'POST /api/v1/enrolment_tokens',
    how: 'by an administrator',
    prepare: async () => async () => {
      const { id } = await newToken();
      const detail = { ap_id_pattern: 'name-*', expires_at: expect.stringMatching(/Z$/), max_uses: 3 };
      return {
        actor: byAdmin,
        action: 'enrolment_token_created',
        target: { kind: 'enrolment_token', name: id },
        detail,
      };
    },
  },
  {
    route: 'DELETE /api/v1/enrolment_tokens/{id}',
    how: 'by an administrator',
    prepare: async () => {
      const { id, token } = await newToken();
      await send('POST', `${agents}public`, newAgent(newName()), token);
      return async () => {
        await send('DELETE', `${tokens}/${id}`);
        const target = { kind: 'enrolment_token', name: id };
        const detail = { ap_id_pattern: 'name-*', uses: 1 };
        return { actor: byAdmin, action: 'enrolment_token_removed', target, detail };
      };
    },
  },
  {
    route: 'POST /api/v1/third_party_apps',
    how: 'by an administrator',
    prepare: async () => async () => {
      const name = newName();
      await send('POST', apps, newApp(name, { read: true, note: secret() }));
      const detail = { permissions: { before: {}, after: { read: true }, other: { keys: ['note'] } } };
      return { actor: byAdmin, action: 'app_created', target: { kind: 'third_party_app', name }, detail };
    },
  },
  {
    route: 'PUT /api/v1/third_party_apps/{app_name}',
    how: 'key and permissions, by an administrator',
    prepare: async () => {
      const name = newName();
      await send('POST', apps, newApp(name, { agents: ['a-*'], read: true, priority: 1 }));
      return async () => {
        const globs = Array.from({ length: 1000 }, (_, n) => `glob-${n}`);
        const permissions = { agents: globs, read: true, commands: false };
        await send('PUT', apps + name, { api_key: secret(), permissions });
        const after = { agents: { omitted_bytes: JSON.stringify(globs).length }, commands: false };
        const detail = {
          fields: ['api_key', 'permissions'],
          permissions: { before: { agents: ['a-*'], priority: 1 }, after },
        };
        return { actor: byAdmin, action: 'app_updated', target: { kind: 'third_party_app', name }, detail };
      };
    },
  },
  {
    route: 'DELETE /api/v1/third_party_apps/{app_name}',
    how: 'by an administrator',
    prepare: async () => {
      const name = newName();
      await send('POST', apps, newApp(name));
      return async () => {
        await send('DELETE', apps + name);
        return { actor: byAdmin, action: 'app_removed', target: { kind: 'third_party_app', name }, detail: {} };
      };
    },
  },
  {
    route: 'POST /api/v1/retention/resume',
    how: 'the word that the clock is right',
    prepare: async () => async () => {
      await send('POST', '/api/v1/retention/resume');
      return {
        actor: byAdmin,
        action: 'retention_resumed',
        target: { kind: 'retention', name: 'clock' },
        detail: {},
      };
    },
  },
  {
    route: 'POST /api/v1/webhooks',
    how: 'without its path and secret',
    prepare: async () => async () => {
      const { name, id } = await newHook();
      return ofHook(name, id, 'webhook_created');
    },
  },
  {
    route: 'PUT /api/v1/webhooks/{id}',
    how: 'with what was changed',
    prepare: async () => {
      const { name, id } = await newHook();
      return async () => {
        await send('PUT', `${webhooks}/${id}`, { ...hook(name), format: 'slack' });
        return ofHook(name, id, 'webhook_updated', { fields: ['url', 'format'] });
      };
    },
  },
  {
    route: 'POST /api/v1/webhooks/{id}/secret',
    how: 'without the secret',
    prepare: async () => {
      const { name, id } = await newHook();
      return async () => {
        secrets.push((await send('POST', `${webhooks}/${id}/secret`)).secret);
        return ofHook(name, id, 'webhook_updated', { fields: ['secret'] });
      };
    },
  },
  {
    route: 'POST /api/v1/webhooks/{id}/replay',
    how: 'with the event',
    prepare: async () => {
      const { name, id } = await newHook();
      return async () => {
        await send('POST', `${webhooks}/${id}/replay?after=1`);
        return ofHook(name, id, 'webhook_replayed', { fields: [], after: 1 });
      };
    },
  },
  {
    route: 'DELETE /api/v1/webhooks/{id}',
    how: 'by an administrator',
    prepare: async () => {
      const { name, id } = await newHook();
      return async () => {
        await send('DELETE', `${webhooks}/${id}`);
        return ofHook(name, id, 'webhook_removed');
      };
    },
  },
  {
    route: 'POST /api/v1/notifications',
    how: 'by an administrator',
    prepare: async () => async () => {
      const { name, id } = await newNotice();
      return ofNotice(name, id, 'notification_created');
    },
  },
  {
    route: 'PUT /api/v1/notifications/{id}',
    how: 'with what was changed',
    prepare: async () => {
      const { name, id } = await newNotice();
      return async () => {
        await send('PUT', `${notices}/${id}`, { name, email: 'b@weft.test', enabled: false });
        return ofNotice(name, id, 'notification_updated', { fields: ['email', 'enabled'] });
      };
    },
  },
  {
    route: 'DELETE /api/v1/notifications/{id}',
    how: 'by an administrator',
    prepare: async () => {
      const { name, id } = await newNotice();
      return async () => {
        await send('DELETE', `${notices}/${id}`);
        return ofNotice(name, id, 'notification_removed');
      };
    },
  },
  {
    route: 'POST /api/v1/agents/{ap_id}/push_secret',
    how: 'without the secret',
    prepare: async () => {
      const ap_id = newName();
      await send('POST', agents, { ap_id, password, configuration: {} });
      return async () => {
        secrets.push((await send('POST', `${agents}${ap_id}/push_secret`)).secret);
        return { actor: byAdmin, action: 'push_secret_created', target: { kind: 'agent', name: ap_id }, detail: {} };
      };
    },
  },
  {
    route: 'POST /api/v1/send_command',
    how: 'with what was decided',
    prepare: async () => {
      const ap_id = newName();
      await send('POST', agents, { ap_id, password, configuration: {} });
      return async () => {
        await send('POST', `/api/v1/send_command?agent_id=${ap_id}&command=sleep`);
        return decidedAbout(ap_id);
      };
    },
  },
  {
    route: 'POST /api/v1/commands/batch',
    how: 'for each agent',
    prepare: async () => {
      const ap_id = newName();
      await send('POST', agents, { ap_id, password, configuration: {} });
      return async () => {
        await send('POST', '/api/v1/commands/batch', { agents: [ap_id], command: 'sleep' });
        return decidedAbout(ap_id);
      };
    },
  },
  {
    route: 'PUT /api/v1/conflicts/rules',
    how: 'with the rules',
    prepare: async () => {
      const rules = await send('GET', '/api/v1/conflicts/rules');
      return async () => {
        await send('PUT', '/api/v1/conflicts/rules', rules);
        const target = { kind: 'conflict_rules', name: 'rules' };
        return {
          actor: byAdmin,
          action: 'conflict_rules_updated',
          target,
          detail: { version: 1, before: rules, rules },
        };
      };
    },
  },
];

function decidedAbout(ap_id: string) {
  const detail = expect.objectContaining({
    intent: expect.objectContaining({ ap_id, name: 'sleep', caller_name: adminUsername }),
    outcome: expect.objectContaining({ verdict: 'accepted', reason: 'free' }),
  });
  return { actor: byAdmin, action: 'command_decided', target: { kind: 'agent', name: ap_id }, detail };
}

describe('a change', () => {
  it.each(changes)('at $route leaves one entry: $how', async ({ prepare }) => {
    const change = await prepare();
    const before = await newestSeq();
    const startedAt = Date.now();
    const expected = await change();
    const entries = await entriesAfter(before);
    expect(entries).toEqual([
      {
        seq: before + 1,
        ts: expect.stringMatching(/^20.*Z$/),
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        ...expected,
      },
    ]);
    expect(Date.parse(entries[0]!.ts)).toBeGreaterThanOrEqual(startedAt);
    const text = JSON.stringify(entries);
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  });

  // At the end of all tests, a route that was called with success and never left an entry is an error (test/seen-statuses.ts).
  it('is only made by routes that do not say that they change nothing', () => {
    const writing = Object.values<Part>(weft.parts)
      .flatMap(({ routes = [] }) => routes)
      .filter(({ method, changesNothing }) => method !== 'GET' && !changesNothing)
      .map(({ method, url }) => `${method} ${url.replaceAll(/:(\w+)/g, '{$1}').replace(/\/$/, '')}`);
    expect(changes.filter(({ route }) => !writing.includes(route))).toEqual([]);
  });

  it('by nobody, by the settings and on the command line has its actor', async () => {
    const fresh = await startWeft();
    const settled = await startWeft({ WEFT_ADMIN_USERNAME: adminUsername, WEFT_ADMIN_PASSWORD: password });
    try {
      const accounts = await openAccounts(fresh.config, 'operator');
      await accounts.users.create({ username: 'ada@weft.test', password, roles: ['user'] });
      await accounts.users.setPassword('ada@weft.test', 'another password');
      await accounts.close();
      const read = async (node: TestWeft) => {
        const { body } = await node.request('GET', '/api/v1/audit', { token: await node.admin() });
        return body.entries.map((entry: AuditEntry) => [entry.actor.kind, entry.actor.name, entry.action]);
      };
      expect(await read(fresh)).toEqual([
        ['anonymous', 'anonymous', 'first_admin_created'],
        ['command_line', 'operator', 'user_updated'],
        ['command_line', 'operator', 'user_created'],
      ]);
      expect(await read(settled)).toEqual([['system', 'weft', 'first_admin_created']]);
    } finally {
      await fresh.stop();
      await settled.stop();
    }
  });
});
