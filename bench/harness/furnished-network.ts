// An emulated network with something on every page of the dashboard, for pictures: sites, alarms, commands in conflict, a roll-out and a
// draft; whole also access points in every state, users, silences and secrets.
import { admin, EmulatedNetwork, pause } from './emulated-network.ts';

/** Time to collect data for charts. */
const historyMs = 60_000;
let weftUrl = '';

/** Values for the parameters in the addresses of pages; `id` of several kinds by what stands before it. */
export async function furnish(url: string, { isWhole }: { isWhole: boolean }): Promise<Record<string, string>> {
  weftUrl = url;
  const network = await EmulatedNetwork.connect(weftUrl);
  const kind = (access_point_type: string) => ({
    access_point_type,
    num_access_points: 4,
    locations: ['Bristol'],
    num_devices: 10,
    duration: 3600,
  });
  const { job_number, ap_ids } = await network.spinUp(['5G', 'WiFi', 'LiFi'].map(kind));
  const ap_id = ap_ids[1]!;
  const saver = await app('energy-saver', 70);
  const balancer = await app('load-balancer', 50);
  const sites = ['uk/bristol/harbour', 'uk/bristol/campus'] as const;
  for (const path of ['uk', 'uk/bristol', ...sites]) await ask('POST', '/sites', { path });
  for (const [at, each] of ap_ids.entries())
    await ask('PATCH', `/agents/${each}/labels`, { site: sites[at % 2], tags: [at % 2 === 0 ? 'quay' : 'library'] });
  await ask('POST', `/emulator/${job_number}/faults`, {
    agent_id: ap_ids[5],
    kind: 'jammed_channel',
    seconds: 3000,
    amount: 30,
  });
  const layers = [{ name: 'Quay', selector: 'tag:quay', weight: 10, optional: true, settings: { tx_power_dbm: 17 } }];
  const set = await ask('POST', '/config/change_sets', { title: 'Less power on the quay', layers });
  const rollout = await ask('POST', `/config/change_sets/${set.id}/rollout`, {
    waves: [{ percent: 50 }, { percent: 100 }],
  });
  const draft = { ...layers[0], name: 'Library', selector: 'tag:library', settings: { tx_power_dbm: 18 } };
  const next = await ask('POST', '/config/change_sets', { title: 'Less power in the library', layers: [draft] });
  if (isWhole) await prepareMore(ap_ids);
  await pause(historyMs * 0.7);
  const { command_id } = (await send(saver, ap_id, 'sleep')) as { command_id: string };
  await pause(historyMs * 0.2);
  // Rejected: the other app holds the lease and has a higher priority.
  await send(balancer, ap_id, 'wake');
  await send(saver, ap_ids[4]!, '{"name":"set_tx_power","dbm":14}');
  await pause(historyMs * 0.1);
  const first = async (path: string, key: string) => String((await ask('GET', path)).items[0]?.[key]);
  return {
    // That with the jammed channel has a diagnosis.
    ap_id: ap_ids[5]!,
    other: ap_ids[6]!,
    job_number,
    command_id,
    app_name: 'energy-saver',
    asleep: ap_id,
    device: await first('/devices?limit=1', 'device'),
    'jobs/job_number': String((await ask('POST', '/agent_details/request_all_agents_details')).job_number),
    'rules/id': await first('/alarm_rules', 'id'),
    'changes/id': String(next.id),
    'rollouts/id': String(rollout.id),
    'incidents/id': await first('/incidents', 'id'),
    path: sites[0],
  };
}

/** Something on every page that is not in the documents. */
async function prepareMore(ap_ids: readonly string[]): Promise<void> {
  const password = 'a password of twelve';
  await ask('POST', '/agents/', { ap_id: 'ap-never', password, configuration: {} });
  for (const [ap_id, report_interval_seconds] of [
    ['ap-gone', 1],
    ['ap-science-park-building-7-second-floor-corridor-north-east-corner-12', 10],
  ] as const) {
    const configuration = { report_interval_seconds, access_point_type: 'WiFi', site: 'Science park, building 7' };
    await ask('POST', '/agents/', { ap_id, password, configuration });
    const token = await login('agent', ap_id, password);
    await ask('POST', '/agent_update/update', { power_w: 4, connected_devices: 3 }, token);
  }
  await ask('POST', '/users/', { username: 'grace@example.org', password, roles: ['user'] });
  const times = { from: '02:00', until: '05:00', days: ['sun'] };
  await ask('POST', '/silences', { selector: 'site:uk/bristol/**', weekly: times, comment: 'Maintenance' });
  await ask('PUT', '/config/secrets', { name: 'guest-psk', value: 'never on a page' });
  await ask('PUT', '/config/variables', { site: 'uk', name: 'country', value: 'GB' });
  await send(await login('user', admin.WEFT_ADMIN_USERNAME, admin.WEFT_ADMIN_PASSWORD), ap_ids[2]!, 'reboot');
}

// biome-ignore lint/suspicious/noExplicitAny: answers of many kinds
async function ask(method: string, path: string, json?: object, bearer?: string): Promise<any> {
  const token = bearer ?? (await login('user', admin.WEFT_ADMIN_USERNAME, admin.WEFT_ADMIN_PASSWORD));
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = json && JSON.stringify(json);
  const answer = await fetch(`${weftUrl}/api/v1${path}`, { method, headers, ...(body && { body }) });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

async function app(app_name: string, priority: number): Promise<string> {
  const api_key = `the key of ${app_name}`;
  const permissions = { agents: ['*'], commands: true, emulator: false, priority };
  await ask('POST', '/third_party_apps/', { app_name, api_key, permissions });
  return login('third_party_app', app_name, api_key);
}

async function login(kind: string, username: string, password: string): Promise<string> {
  const body = new URLSearchParams({ username, password });
  const answer = await fetch(`${weftUrl}/api/v1/token/?login_type=${kind}`, { method: 'POST', body });
  return ((await answer.json()) as { access_token: string }).access_token;
}

async function send(token: string, agent_id: string, command: string): Promise<unknown> {
  const query = new URLSearchParams({ agent_id, command, hold_seconds: '600' });
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${weftUrl}/api/v1/send_command?${query}`, { method: 'POST', headers });
  return answer.json();
}
