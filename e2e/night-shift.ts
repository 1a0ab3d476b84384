// The network of an operator's night: 160 emulated access points at four sites, a jammed channel, a site whose backhaul is cut, two
// programs that want different things, and a colleague.

/** Asks Weft; throws unless the answer is 200. */
// biome-ignore lint/suspicious/noExplicitAny: answers of many kinds
export type Ask = (method: string, path: string, json?: unknown, token?: string) => Promise<any>;

export interface NightShift {
  job_number: string;
  agents: { ap_id: string; access_point_type: string; site: string; name: string }[];
  jammed: string;
  cut: string[];
  /** Of the app whose command was rejected. */
  rejected: string;
}

export const sites = ['uk/bristol/harbour', 'uk/bristol/campus', 'uk/bath/station', 'uk/bath/market'];
export const colleague = 'grace@example.org';
const secret = 'correct horse battery';
const counts = { '5G': 40, WiFi: 80, LiFi: 40 };

export async function startNight(
  ask: Ask,
  login: (kind: string, name: string, key: string) => Promise<string>,
): Promise<NightShift> {
  const emulators = Object.entries(counts).map(([access_point_type, num_access_points]) => ({
    access_point_type,
    num_access_points,
    locations: ['Bristol', 'Bath'],
    num_devices: access_point_type === 'LiFi' ? 2 : 6,
    duration: 3600,
  }));
  const started = await ask('POST', '/emulator/spinup', { emulators, seed: 7, report_interval_seconds: 5 });
  for (const path of ['uk', 'uk/bristol', 'uk/bath', ...sites]) await ask('POST', '/sites', { path });
  const agents: NightShift['agents'] = [];
  const listed = await ask('GET', '/agents/?limit=1000');
  const names = new Map<string, string>(
    listed.items.map(({ ap_id, display_name }: Record<string, string>) => [ap_id, display_name]),
  );
  for (const [at, { ap_id, access_point_type }] of started.agents.entries()) {
    const name = names.get(ap_id)!;
    const site = sites[(name.startsWith('bath') ? 2 : 0) + (Math.floor(at / 2) % 2)]!;
    agents.push({ ap_id, access_point_type, site, name });
  }
  await Promise.all(agents.map(({ ap_id, site }) => ask('PATCH', `/agents/${ap_id}/labels`, { site })));
  const at = (site: string, type: string) =>
    agents.filter((agent) => agent.site === site && agent.access_point_type === type).map(({ ap_id }) => ap_id);
  const [jammed] = at(sites[0]!, 'WiFi');
  const cut = at(sites[2]!, '5G').slice(0, 4);
  const fault = (agent_id: string, kind: string, more = {}) =>
    ask('POST', `/emulator/${started.job_number}/faults`, { agent_id, kind, seconds: 3000, ...more });
  await fault(jammed!, 'jammed_channel', { amount: 40 });
  for (const agent_id of cut) await fault(agent_id, 'backhaul_cut');
  await ask('POST', '/users/', { username: colleague, password: secret, roles: ['user'] });
  const app = async (app_name: string, priority: number) => {
    const permissions = { agents: ['*'], commands: true, emulator: false, priority };
    await ask('POST', '/third_party_apps/', { app_name, api_key: `the key of ${app_name}`, permissions });
    return login('third_party_app', app_name, `the key of ${app_name}`);
  };
  const [saver, balancer] = [await app('energy-saver', 70), await app('load-balancer', 50)];
  const [cell] = at(sites[1]!, '5G');
  const send = (token: string, command: string) =>
    ask(
      'POST',
      `/send_command?${new URLSearchParams({ agent_id: cell!, command, hold_seconds: '3000' })}`,
      undefined,
      token,
    );
  await send(saver, 'sleep');
  await send(balancer, 'wake').catch(() => {});
  return { job_number: started.job_number, agents, jammed: jammed!, cut, rejected: 'load-balancer' };
}
