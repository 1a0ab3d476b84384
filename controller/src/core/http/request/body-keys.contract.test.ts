// Keys of bodies that nothing reads: what Weft's own operations do with them.
import { isObject } from '@weft/contract/is-object';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWeft, type TestWeft } from '../../../../../test/weft.ts';
import type { Keywords } from '../../base/input/value-rules.ts';
import type { Part } from '../../part.ts';
import type { Route } from './route.ts';
import { refusesUnknown } from './route-statuses.ts';

let weft: TestWeft;
let admin: string;
let agent: string;
let app: string;
let routes: Route[];
beforeAll(async () => {
  weft = await startWeft();
  admin = await weft.admin();
  agent = await weft.agent('ap-1');
  app = await weft.app('watcher', { alarms: true });
  routes = Object.values<Part>(weft.parts).flatMap((part) => part.routes ?? []);
});
afterAll(() => weft.stop());

interface Problem {
  loc: (string | number)[];
  msg: string;
  type: string;
}

const send = (method: string, path: string, json: unknown, token = admin) =>
  weft.request(method, `/api/v1/${path}`, { token, json });
const unknownIn = (body: { detail?: unknown }): Problem[] =>
  Array.isArray(body?.detail) ? body.detail.filter(({ type }) => type === 'extra_forbidden') : [];

const strange = 'zzqqxx';

/** Values that have one strange key each, in every object of fixed shape of the schema. */
function strangers(schema: Keywords): unknown[] {
  const { anyOf, type, items, properties, patternProperties } = schema;
  if (anyOf) return anyOf.flatMap(strangers);
  if (type === 'array') return strangers(items ?? {}).map((value) => [value]);
  if (patternProperties)
    return Object.values(patternProperties)
      .flatMap(strangers)
      .map((value) => ({ some: value }));
  if (!properties || schema.additionalProperties === true) return [];
  const deeper = Object.entries(properties).flatMap(([name, field]) =>
    strangers(field).map((value) => ({ [name]: value })),
  );
  return [{ [strange]: 1 }, ...deeper];
}

/** A value with every key that the schema has. */
function whole({ anyOf, type, items, properties }: Keywords): unknown {
  if (anyOf) return whole(anyOf[0]!);
  if (type === 'array') return [whole(items ?? {})];
  return properties && Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, whole(field) ?? 1]));
}

describe('a key of a body that nothing reads', () => {
  it.each([
    ['POST', 'bulk', { selector: 'name:ap-1', action: { remove: true }, previw: true }, ['body', 'previw'], 'preview'],
    ['POST', 'bulk', { selector: '', action: { labels: { tagz: [] } } }, undefined, 'tags'],
    ['POST', 'commands/batch', { agents: ['ap-1'], command: 'sleep', dryrun: true }, ['body', 'dryrun'], 'dry_run'],
    ['PUT', 'config/secrets', { name: 'psk', value: 'secret-1', sitee: 'x' }, ['body', 'sitee'], 'site'],
    ['PATCH', 'agents/ap-1/labels', { tags: ['a'], sitee: 'x' }, ['body', 'sitee'], 'site'],
  ])('is refused with the name that was meant: %s %s %j', async (method, path, json, loc, meant) => {
    const { status, body } = await send(method, path, json);
    expect([status, body.code]).toEqual([422, 'validation_error']);
    expect(unknownIn(body)[0]!.msg).toBe(`There is no key of this name. Did you mean ${meant}?`);
    if (loc) expect(body.detail).toMatchObject([{ loc }]);
    expect((await weft.request('GET', '/api/v1/agents/ap-1', { token: admin })).status).toBe(200);
    expect((await weft.request('GET', '/api/v1/config/secrets', { token: admin })).body.items).toEqual([]);
  });

  it('is refused with all that are known where none is near: the name that another operation has', async () => {
    const json = { selector: 'name:ap-1', action: { remove: true }, dry_run: true };
    const { status, body } = await send('POST', 'bulk', json);
    expect([status, unknownIn(body)[0]!.loc]).toEqual([422, ['body', 'dry_run']]);
    expect(unknownIn(body)[0]!.msg).toContain('Known here: ');
    expect(unknownIn(body)[0]!.msg).toContain('preview');
  });

  it('is refused by every operation of Weft’s own at every depth, and by none of the specification', async () => {
    const unlike: string[] = [];
    let asked = 0;
    for (const route of routes.filter(({ url, body }) => url.startsWith('/api/v1/') && body)) {
      const { admin: ofAdmins, agent: ofAgents, third_party_app: ofApps } = route.permission;
      if (ofAdmins === 'no' && ofAgents === 'no' && ofApps === 'no') continue;
      const isOfAgents = ofAdmins === 'no' && ofAgents !== 'no';
      const [token, name] = isOfAgents ? [agent, 'ap-1'] : [ofAdmins === 'no' ? app : admin, 'nobody-9'];
      const path = route.url.slice('/api/v1/'.length).replaceAll(/:\w+/g, name);
      for (const json of strangers(route.body as Keywords)) {
        asked += 1;
        const { status, body } = await send(route.method, path, json, token);
        const isNamed = unknownIn(body).some(({ loc }) => loc.at(-1) === strange);
        // Agents are other people's programs.
        const isOwn = refusesUnknown(route) && !isOfAgents;
        if (isNamed !== isOwn || (isNamed && status !== 422)) {
          unlike.push(`${route.method} ${path} ${JSON.stringify(json)}: ${status}`);
        }
      }
    }
    expect(unlike).toEqual([]);
    expect(asked).toBeGreaterThan(80);
  });

  it('is ignored where the same resource answers with it: people send back what they have read', async () => {
    const refused: string[] = [];
    const changed = routes.filter((route) => refusesUnknown(route) && route.body && /PUT|PATCH/.test(route.method));
    for (const route of changed) {
      const read = routes.find(({ method, url }) => method === 'GET' && url === route.url)?.response as
        | Keywords
        | undefined;
      const isOfAgents = route.permission.admin === 'no';
      const path = route.url.slice('/api/v1/'.length).replaceAll(/:\w+/g, isOfAgents ? 'ap-1' : 'nobody-9');
      // A list is no resource.
      const answers = [route.response, ...(read && !read.properties?.items ? [read] : [])];
      for (const schema of answers) {
        const { body } = await send(route.method, path, whole(schema as Keywords), isOfAgents ? agent : admin);
        for (const { loc } of unknownIn(body)) refused.push(`${route.method} ${route.url}: ${loc.join('.')}`);
      }
    }
    expect(changed.length).toBeGreaterThan(5);
    expect(refused).toEqual([]);
  });
});

/** What clients of 0.3.0 may send: the keys that its interface document has. */
const sent: Record<string, string> = {
  'PATCH agents/{ap_id}/labels': 'display_name site tags add_tags remove_tags',
  'POST agents': 'ap_id password configuration',
  'POST agents/public': 'ap_id password configuration',
  'POST agents/{ap_id}/commands/{command_id}': 'state result applied',
  'POST agents/{ap_id}/config/adopt': 'why',
  'POST agents/{ap_id}/config/running': 'hash settings reverted reverted.id reverted.reason',
  'POST agents/{ap_id}/config/{id}/result': 'hash state reason settings',
  'POST alarm_rules':
    'name selector condition condition.metric condition.op condition.value condition.other_metric condition.times condition.over_seconds condition.change condition.within_seconds condition.absent_seconds condition.state condition.state_changes condition.share_of_site condition.share_of_site.state condition.share_of_site.at_least condition.weft for_seconds clear clear.value clear.for_seconds severity message labels when_asleep enabled',
  'POST alarm_rules/preview':
    'name selector condition condition.metric condition.op condition.value condition.other_metric condition.times condition.over_seconds condition.change condition.within_seconds condition.absent_seconds condition.state condition.state_changes condition.share_of_site condition.share_of_site.state condition.share_of_site.at_least condition.weft for_seconds clear clear.value clear.for_seconds severity message labels when_asleep enabled',
  'POST alarms/clear': 'key',
  'POST alarms/raise': 'ap_id key severity text',
  'POST alarms/{alarm_id}/acknowledge': 'note',
  'POST alarms/{alarm_id}/clear': 'note',
  'POST alarms/{alarm_id}/shelve': 'seconds until note',
  'POST bulk':
    'selector action action.command action.labels action.labels.display_name action.labels.site action.labels.tags action.labels.add_tags action.labels.remove_tags action.remove preview wave wave.size wave.pause_seconds',
  'POST commands/batch': 'agents command hold_seconds expires_in dry_run stages stages.percent stages.pause_s',
  'POST config/change_sets':
    'title layers layers.id layers.name layers.selector layers.weight layers.settings layers.optional remove',
  'POST config/change_sets/{id}/rollout':
    'waves waves.select waves.percent gates gates.metric gates.worse_by gates.over_seconds gates.alarms gates.devices_back failure_limit failure_limit.agents window window.days window.from window.until window.time_zone at_once_per_site trial_seconds',
  'POST devices/{device}/identities': 'identity',
  'POST devices/{device}/watch': 'expires_in',
  'POST emulator/spinup':
    'emulators emulators.access_point_type emulators.num_access_points emulators.locations emulators.num_devices emulators.duration emulators.scenario emulators.profile emulators.mbps_per_device emulators.mix emulators.link_policy emulators.link_policy.mode emulators.link_policy.primary emulators.link_policy.weights emulators.link_policy.share seed speed pace start_time report_interval_seconds faults faults.access_point faults.after_seconds faults.kind faults.seconds faults.amount',
  'POST emulator/what_if': 'job_number commands commands.agent_id commands.command minutes futures',
  'POST emulator/{job_number}/coverage':
    'layer technology height bounds columns rows encoding commands commands.agent_id commands.command after_seconds',
  'POST emulator/{job_number}/faults': 'agent_id kind seconds amount',
  'POST emulator/{job_number}/step': 'seconds',
  'POST enrolment_tokens': 'ap_id_pattern expires_in max_uses site tags',
  'POST notifications':
    'name email events severities selector digest_minutes quiet quiet.from quiet.until quiet.except time_zone enabled',
  'POST selectors/explain': 'selector',
  'POST silences': 'selector rules from until weekly weekly.days weekly.from weekly.until time_zone comment',
  'POST sites': 'path name geolocation geolocation.latitude geolocation.longitude time_zone notes',
  'POST third_party_apps':
    'app_name api_key permissions permissions.agents permissions.selector permissions.read permissions.write permissions.commands permissions.emulator permissions.emulator.max_access_points permissions.alarms permissions.config permissions.callbacks permissions.priority permissions.expires_at',
  'POST users': 'username password roles',
  'POST users/me/password': 'current_password new_password',
  'POST users/password-recovery': 'username',
  'POST users/public': 'username password roles',
  'POST users/reset-password': 'token new_password',
  'POST users/signup': 'username password',
  'POST webhooks': 'name url events selector format enabled',
  'PUT agents/{ap_id}': 'password configuration',
  'PUT alarm_rules/{rule_id}':
    'name selector condition condition.metric condition.op condition.value condition.other_metric condition.times condition.over_seconds condition.change condition.within_seconds condition.absent_seconds condition.state condition.state_changes condition.share_of_site condition.share_of_site.state condition.share_of_site.at_least condition.weft for_seconds clear clear.value clear.for_seconds severity message labels when_asleep enabled',
  'PUT config/change_sets/{id}':
    'title layers layers.id layers.name layers.selector layers.weight layers.settings layers.optional remove',
  'PUT config/secrets': 'name value',
  'PUT config/variables': 'ap_id site name value',
  'PUT conflicts/rules':
    'groups groups.name groups.technology groups.parameters groups.scope groups.policy groups.merge groups.loser groups.hold_s groups.min_interval_ms interference_range_m interference_range_m.5G interference_range_m.WiFi interference_range_m.LiFi oscillation oscillation.reversals oscillation.window_s oscillation.freeze_s blast_radius blast_radius.fraction blast_radius.minimum blast_radius.window_s',
  'PUT device_privacy': 'clear_addresses',
  'PUT notifications/{id}':
    'name email events severities selector digest_minutes quiet quiet.from quiet.until quiet.except time_zone enabled',
  'PUT silences/{silence_id}':
    'selector rules from until weekly weekly.days weekly.from weekly.until time_zone comment',
  'PUT sites/{id}': 'path name geolocation geolocation.latitude geolocation.longitude time_zone notes',
  'PUT third_party_apps/{app_name}':
    'api_key permissions permissions.agents permissions.selector permissions.read permissions.write permissions.commands permissions.emulator permissions.emulator.max_access_points permissions.alarms permissions.config permissions.callbacks permissions.priority permissions.expires_at',
  'PUT users/{username}': 'password roles',
  'PUT users/{username}/grants': 'role selector',
  'PUT webhooks/{id}': 'name url events selector format enabled',
};

it('of clients of 0.3.0 is known', async () => {
  const unlike: string[] = [];
  for (const [operation, keys] of Object.entries(sent)) {
    const [method, path] = operation.split(' ') as [string, string];
    const json: Record<string, unknown> = {};
    for (const key of keys.split(' ')) {
      let at = json;
      const steps = key.split('.');
      for (const step of steps.slice(0, -1)) at = at[step] = (isObject(at[step]) ? at[step] : {}) as typeof json;
      at[steps.at(-1)!] = {};
    }
    const isOfAgents = path.startsWith('agents/{ap_id}/co') && !/desired|adopt/.test(path);
    const name = isOfAgents ? 'ap-1' : 'nobody-9';
    const statuses: number[] = [];
    for (const token of [admin, agent, app]) {
      const { status, body } = await send(method, path.replaceAll(/\{\w+\}/g, name), json, token);
      statuses.push(status);
      for (const { loc } of unknownIn(body)) unlike.push(`${operation}: ${loc.join('.')} ${status}`);
    }
    if (!statuses.includes(422)) unlike.push(`${operation} was not read: ${statuses.join()}`);
  }
  expect(unlike).toEqual([]);
});
