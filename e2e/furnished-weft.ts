// A Weft with something on every page: an emulated network, access points in each state, commands, conflicts, jobs, apps
// and users. Tests that only look share it.
import { expect } from 'vitest';
import { startDemo } from './demo-network.ts';
import { eventually, password, type Weft } from './weft-process.ts';

export interface Furnished {
  weft: Weft;
  /** Values for the parameters in addresses: by name, or by path and name where pages differ. */
  params: Record<string, string>;
  /** What pages call the access point of `params`. */
  name: string;
  /** Addresses beside those of the routes: the same pages with something else on them. */
  views: string[];
}

const longName = 'ap-science-park-building-7-second-floor-corridor-north-east-corner-12';

export async function furnish(weft: Weft): Promise<Furnished> {
  const token = await weft.createAdmin();
  const ask = async (method: string, path: string, json?: unknown, bearer = token) => {
    const { status, body } = await weft.request(method, `/api/v1${path}`, { token: bearer, json });
    expect(status, `${method} ${path}: ${JSON.stringify(body)}`).toBe(200);
    return body;
  };
  const [agent, other] = await startDemo(weft, token);
  const [run] = await ask('GET', '/jobs?limit=1');
  await ask('POST', '/agents/', { ap_id: 'ap-never', password, configuration: {} });
  // They report once: the first is soon offline, the second late after a while.
  for (const [ap_id, report_interval_seconds] of [
    ['ap-gone', 1],
    [longName, 10],
  ] as const) {
    const configuration = { report_interval_seconds, access_point_type: 'WiFi', site: 'Science park, building 7' };
    await ask('POST', '/agents/', { ap_id, password, configuration });
    const { body } = await weft.login(ap_id, password, 'agent');
    const report = { power_w: 4, energy_kwh: 1.5, connected_devices: 3 };
    await ask('POST', '/agent_update/update', report, body.access_token);
  }
  const app = async (app_name: string, priority: number) => {
    const permissions = {
      agents: ['*'],
      commands: ['sleep', 'wake', 'set_tx_power'],
      emulator: false,
      alarms: true,
      priority,
    };
    await ask('POST', '/third_party_apps/', { app_name, api_key: `the key of ${app_name}`, permissions });
    return (await weft.login(app_name, `the key of ${app_name}`, 'third_party_app')).body.access_token as string;
  };
  const saver = await app('energy-saver', 70);
  const balancer = await app('load-balancer', 50);
  const send = (bearer: string, agent_id: string, command: string) => {
    const query = new URLSearchParams({ agent_id, command, hold_seconds: '600' });
    return weft.request('POST', `/api/v1/send_command?${query}`, { token: bearer });
  };
  const { command_id } = (await send(saver, other!.ap_id, 'sleep')).body;
  expect((await send(balancer, other!.ap_id, 'wake')).status).toBe(409);
  await send(token, agent!.ap_id, '{"name":"set_tx_power","dbm":30}');
  await ask('POST', '/users/', { username: 'grace@example.org', password, roles: ['user'] });
  const [{ device }] = await eventually(
    async () => (await ask('GET', '/devices?limit=1')).items,
    (devices) => devices.length > 0,
  );
  await ask('POST', '/sites', { path: 'uk/park', name: 'Science park' });
  await ask('PATCH', `/agents/${agent!.ap_id}/labels`, { site: 'uk/park' });
  const alarm = { ap_id: agent!.ap_id, key: 'load', severity: 'minor', text: 'More to do than on other days' };
  await ask('POST', '/alarms/raise', alarm, saver);
  const [incident] = await eventually(
    async () => (await ask('GET', '/incidents?state=open')).items,
    (incidents) => incidents.length > 0,
  );
  const { job_number } = await ask('POST', '/agent_details/request_all_agents_details');
  const settings = { tx_power_dbm: 20, prb_quota_pct: 80 };
  const layer = { name: 'Power of one', selector: `name:${agent!.ap_id}`, weight: 10, settings };
  const change = (title: string) => ask('POST', '/config/change_sets', { title, layers: [layer] });
  const [rolled, draft] = [await change('Less power'), await change('Less power, again')];
  const gates = [{ metric: 'power_w', worse_by: 50, over_seconds: 86_400 }];
  const rollout = await ask('POST', `/config/change_sets/${rolled.id}/rollout`, { gates });
  await ask('PUT', '/config/secrets', { name: 'guest-psk', value: 'never on a page' });
  return {
    weft,
    name: agent!.name,
    params: {
      ap_id: agent!.ap_id,
      command_id,
      app_name: 'energy-saver',
      device,
      id: 'new',
      path: 'uk/park',
      '/jobs/:job_number job_number': job_number,
      '/emulator/:job_number job_number': run.job_number,
      '/incidents/:id id': incident.id,
      '/configuration/changes/:id id': draft.id,
      '/configuration/rollouts/:id id': rollout.id,
    },
    views: [
      `/agents/${other!.ap_id}?window=5m`,
      `/agents/${longName}`,
      '/agents/ap-never',
      '/agents?state=late',
      '/conflicts?view=rules',
      `/commands/new?agent=${agent!.ap_id}`,
      `/commands?state=refused`,
      '/configuration?view=rollouts',
      '/configuration?view=values',
      `/map?agent=${agent!.ap_id}`,
      `/map?device=${device}`,
      `/compare?agents=${agent!.ap_id},${other!.ap_id}&metrics=connected_devices,power_w&window=5m`,
    ],
  };
}
