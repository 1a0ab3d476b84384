// The law of the end: once an emulated network has ended, however it ended and whatever comes of it afterwards, no answer about now
// differs from that of a Weft in which it never was. Each list and each gauge is looked at by itself; what is left out has its reason.
import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eachDatabase } from '../../../../test/databases.ts';
import { untilSo } from '../../../../test/pure/until-so.ts';
import { rounds } from '../../../../test/rounds.ts';
import { startWeft, type TestWeft } from '../../../../test/weft.ts';
import { openAccounts } from '../../offline.ts';
import type { NewAlarm } from '../../operations/alarms/watch/alarm-writer.ts';
import type { Part } from '../part.ts';

/** Lists about a past window, or that name what has ended. */
const ofThePast: Record<string, string> = {
  '/api/v1/audit': 'who changed what, and when',
  '/api/v1/events': 'what happened',
  '/api/v1/events/stream': 'what happens, as a stream',
  '/api/v1/jobs': 'jobs are kept with their results; those of a network have ended',
  '/api/v1/commands': 'commands are kept; those to its access points have ended',
  '/api/v1/conflicts': 'decisions of a window',
  '/api/v1/energy': 'what was drawn in a window, until the end',
  '/api/v1/energy/export': 'the same as a file',
  '/api/v1/rollouts': 'roll-outs are kept',
  '/api/v1/config/change_sets': 'drafts and what was rolled out, as people wrote it',
  '/api/v1/config/layers': 'what people want of access points, of whichever there will be',
  '/api/v1/emulator': 'networks, each with its end',
  '/api/v1/metrics/export': 'telemetry of a window',
  '/api/v1/metrics/stream': 'telemetry as it comes',
  '/api/v1/users': 'the owner of a network is an account like others',
  '/api/v1/waiting_users': 'accounts',
  '/api/v1/disabled_users': 'accounts',
  '/api/v1/retention': 'when old things were removed last',
};
/** Asks for what is now, where a list has both. */
const now: Record<string, string> = {
  '/api/v1/alarms': '?state=firing,acknowledged&limit=200',
  '/api/v1/incidents': '?state=open,acknowledged&limit=200',
  '/api/v1/agents': '?count=true&limit=1000&fields=latest',
  '/api/v1/devices': '?count=true&limit=1000',
};
const maxLooks = 100;
/** Gauges of the process, or of what is kept. */
const notOfNow =
  /_total$|connections|sockets|streams|channels|results_bytes|snapshots|waiting|queued|jobs_running|cut_off|left_out|stale_seconds/;

const kinds = ['WiFi', '5G', 'LiFi'] as const;
const story = fc.record({
  kinds: fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 2 }),
  size: fc.integer({ min: 1, max: 5 }),
  place: fc.constantFrom(null, 'Bristol', 'York'),
  before: fc.shuffledSubarray(['report', 'devices', 'alarms', 'site', 'storm', 'look', 'command', 'roll-out', 'watch']),
  end: fc.constantFrom('stopped', 'job cancelled', 'owner gone', 'failed', 'its time is over', 'command line'),
  meanwhile: fc.boolean(),
  after: fc.shuffledSubarray(['report', 'devices', 'alarms', 'site', 'look']),
});
type Story = typeof story extends fc.Arbitrary<infer Made> ? Made : never;

eachDatabase((kind) => {
  let nodes: TestWeft[];
  let remove = async () => {};
  let admin: string;
  beforeAll(async () => {
    const settings: Record<string, string> = { WEFT_EMULATOR_MAX_RUNS: '0' };
    if (kind.dialect === 'postgres') {
      const namespace = await kind.createNamespace();
      remove = () => namespace.remove();
      Object.assign(settings, { WEFT_DATABASE_URL: namespace.address, WEFT_TELEMETRY_URL: namespace.address });
      settings.WEFT_SECRET = randomBytes(48).toString('base64');
    }
    nodes = [await startWeft(settings)];
    if (kind.dialect === 'postgres') nodes.push(await startWeft(settings));
    const [weft] = nodes as [TestWeft];
    admin = await weft.admin();
    for (const path of ['bristol', 'york', 'bath/roof']) await send('POST', '/api/v1/sites', { path });
    for (const [name, site] of Object.entries({ 'real-1': 'bath/roof', 'real-2': 'york' })) {
      await weft.agent(name, { access_point_type: 'WiFi', report_interval_seconds: 3600 });
      await send('PATCH', `/api/v1/agents/${name}/labels`, { site });
      await report(weft, name);
      await list(weft, name, [`${name}-device`]);
    }
    await Promise.all(nodes.map((node) => node.parts.alarms.refresh()));
    await fire(weft, 'wifi_utilisation', {
      subject_kind: 'agent',
      subject: 'real-1',
      ap_id: 'real-1',
      site: 'bath/roof',
    });
  });
  afterAll(async () => {
    for (const node of nodes) await node.stop();
    await remove();
  });

  async function send(method: string, path: string, json?: unknown, token = admin) {
    const answer = await nodes[0]!.request(method, path, { token, ...(json !== undefined && { json }) });
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
    return answer.body;
  }

  async function report(node: TestWeft, ap_id: string): Promise<void> {
    const names = ['power_w', 'served_devices', 'active', 'utilisation_pct'];
    await node.record(ap_id, [{ ts: Date.now(), names, values: [10, 2, 1, 99], texts: [] }]);
  }

  async function list(node: TestWeft, ap_id: string, identities: string[]): Promise<void> {
    const values = {
      rssi_dbm: -50,
      snr_db: 30,
      rx_mbps: 1,
      tx_mbps: ap_id.startsWith('emu') ? 0 : 1,
      connected_seconds: 1,
      heard: [],
    };
    const devices = identities.map((identity) => ({ identity, ...values }));
    await node.parts.devices.report(ap_id, [{ ts: Date.now(), devices }]);
  }

  async function fire(
    node: TestWeft,
    product: string,
    subject: Pick<NewAlarm, 'subject_kind' | 'subject' | 'ap_id' | 'site'>,
  ) {
    const { activeAlarms, writer } = node.parts.alarms;
    const rule = activeAlarms.rules.find(({ record }) => record.product === product)!;
    const sinceMs = Date.now() - 1000;
    await writer.write({ fire: { rule, ...subject, sinceMs, value: 1, message: 'x' } });
  }

  const look = async () => {
    for (const node of nodes) {
      await node.parts.alarms.rounds.once();
      await node.parts.incidents.keeper.once();
    }
  };

  /** What it does, or what is written of it, on whichever node. */
  async function act(what: string, aps: { ap_id: string; site: string | null }[], owner: string, isAfter: boolean) {
    for (const [n, { ap_id, site }] of aps.entries()) {
      const node = nodes[n % nodes.length]!;
      if (what === 'report') await report(node, ap_id);
      if (what === 'devices') await list(node, ap_id, [`emu-${ap_id}-a`, `emu-${ap_id}-b`]);
      if (what === 'alarms' && (n % 2 === 0 || isAfter))
        await fire(node, n % 3 === 0 ? 'offline' : 'wifi_utilisation', {
          subject_kind: 'agent',
          subject: ap_id,
          ap_id,
          site,
        });
    }
    const [first] = aps as [{ ap_id: string; site: string | null }];
    const { site } = first;
    if (what === 'site' && site !== null && (site === 'bristol' || !isAfter)) {
      await fire(nodes[0]!, 'site_away', { subject_kind: 'site', subject: site, ap_id: null, site });
      // Where real ones stand as well, the next look at their share decides.
      await fire(nodes[0]!, 'offline', { subject_kind: 'agent', subject: first.ap_id, ap_id: first.ap_id, site });
    }
    if (what === 'look') await look();
    if (isAfter) return;
    if (what === 'storm') {
      await fire(nodes[0]!, 'late', { subject_kind: 'storm', subject: 'Late', ap_id: null, site: null });
      const { activeAlarms, writer } = nodes[0]!.parts.alarms;
      const storm = [...activeAlarms.active].find(({ subject_kind }) => subject_kind === 'storm')!;
      await fire(nodes[0]!, 'late', { subject_kind: 'agent', subject: first.ap_id, ap_id: first.ap_id, site });
      const late = [...activeAlarms.active].find(
        ({ subject, rule_id }) => subject === first.ap_id && rule_id === storm.rule_id,
      );
      if (late) await writer.write({ change: late, to: { inhibited_by: storm.id } });
    }
    if (what === 'command')
      await send(
        'POST',
        `/api/v1/send_command?agent_id=${first.ap_id}&command=sleep&hold_seconds=600`,
        undefined,
        // Of somebody else too, whose commands stay when the owner goes.
        aps.length > 3 ? admin : owner,
      );
    if (what === 'roll-out') {
      await send('PUT', `/api/v1/agents/${first.ap_id}`, {
        configuration: { settings: { channel: { type: 'integer' } } },
      });
      const layers = [
        { name: `of ${first.ap_id}`, selector: `name:${first.ap_id}`, weight: 1, settings: { channel: 36 } },
      ];
      const { id } = await send('POST', '/api/v1/config/change_sets', { title: 'x', layers });
      await send('POST', `/api/v1/config/change_sets/${id}/rollout`, {});
    }
    if (what === 'watch') {
      await list(nodes[0]!, first.ap_id, [`emu-${first.ap_id}-a`]);
      const { items } = await send('GET', `/api/v1/agents/${first.ap_id}/devices`);
      await send('POST', `/api/v1/devices/${items[0].device}/watch`, {});
    }
  }

  async function end(how: Story['end'], job_number: string, owner: string): Promise<void> {
    if (how === 'stopped') await send('POST', `/api/v1/emulator/${job_number}/stop`);
    if (how === 'job cancelled') await send('DELETE', `/api/v1/jobs/${job_number}`);
    if (how === 'owner gone') await send('DELETE', `/api/v1/users/${owner}`);
    if (how === 'command line') {
      const { users, close } = await openAccounts(nodes[0]!.config);
      await users.disable(owner);
      await close();
    }
    if (how === 'its time is over')
      await nodes[0]!.platform.database.query('UPDATE emulator_runs SET ends_at = 1 WHERE job_number = ?', [
        job_number,
      ]);
    if (how === 'failed') await nodes[0]!.parts.jobs.mailbox.end(job_number, 'failed', 'its emulator has failed');
    // The upkeep of a node finds these.
    if (how === 'failed' || how === 'its time is over') {
      await untilSo(async () => expect((await send('GET', `/api/v1/emulator/${job_number}`)).is_over).toBe(true));
    }
  }

  /** Every answer about now, of this node, without times. */
  async function pictured(node: TestWeft): Promise<Record<string, unknown>> {
    const routes = Object.values<Part>(node.parts).flatMap(({ routes: own = [] }) => own);
    const picture: Record<string, unknown> = {};
    for (const { method, url } of routes) {
      if (method !== 'GET' || !url.startsWith('/api/v1') || url.includes(':') || url in ofThePast) continue;
      const { status, text } = await node.request('GET', url + (now[url] ?? ''), { token: admin });
      // Those that ask for a name.
      if (status === 422) continue;
      expect(status, url).toBe(200);
      // Half hours go by meanwhile.
      picture[url] = JSON.parse(withoutTimes(text), (key, value) =>
        key === 'day' ? [...new Set<number | null>(value)].sort() : value,
      );
    }
    const { text } = await node.request('GET', '/metrics', { token: admin });
    const own = new Set(Object.values<Part>(node.parts).flatMap(({ metrics = {} }) => Object.keys(metrics)));
    picture.gauges = text.split('\n').filter((line) => {
      const name = /^\w+/.exec(line)?.[0] ?? '';
      return own.has(name) && !notOfNow.test(name) && !line.includes('state="ended"');
    });
    picture.open = await node.platform.database.query(
      `SELECT (SELECT COUNT(*) FROM commands WHERE ended_at IS NULL) AS commands, (SELECT COUNT(*) FROM leases) AS leases,
         (SELECT COUNT(*) FROM device_watches) AS watches, (SELECT COUNT(*) FROM alarms WHERE incident_id IS NULL) AS ungrouped`,
    );
    picture.rollouts = (await node.request('GET', '/api/v1/rollouts', { token: admin })).body.items.filter(
      ({ state }: { state: string }) => state === 'running',
    );
    return picture;
  }

  it('leaves no answer about now as it would not have been without it', async () => {
    await look();
    let before: Record<string, unknown>[] = [];
    await untilSo(async () => {
      before = await Promise.all(nodes.map(pictured));
      expect(differing(before[0], before.at(-1))).toEqual([]);
    });
    await fc.assert(
      fc.asyncProperty(story, async ({ kinds: types, size, place, before: acts, end: how, meanwhile, after }) => {
        const owner = `owner-${randomUUID()}@weft.test`;
        const token = await nodes[0]!.user(owner, ['admin']);
        const emulators = types.map((access_point_type) => ({
          ...{
            access_point_type,
            num_access_points: size,
            locations: [place ?? 'Bristol'],
            num_devices: 2,
            duration: 3600,
          },
        }));
        const { job_number, agents } = await send(
          'POST',
          '/api/v1/emulator/spinup',
          { emulators, sites: place !== null },
          token,
        );
        const aps = agents.map(({ ap_id }: { ap_id: string }) => ({ ap_id, site: place?.toLowerCase() ?? null }));
        await Promise.all(nodes.map((node) => node.parts.alarms.refresh()));
        for (const what of acts) await act(what, aps, token, false);
        const late = async () => {
          for (const what of after) await act(what, aps, token, true);
        };
        await Promise.all([end(how, job_number, owner), meanwhile && late()]);
        await late();
        const differences = async () => {
          await look();
          const after = await Promise.all(nodes.map(pictured));
          return after.flatMap((picture, n) => differing(before[n]!, picture));
        };
        // What other nodes have in memory comes with their next look.
        let left = await differences();
        for (let looks = 0; left.length > 0 && looks < maxLooks; looks++) left = await differences();
        expect(left).toEqual([]);
        const said = await send('GET', `/api/v1/agents?selector=state:ended&limit=1000`);
        const names = said.items.map(({ ap_id }: { ap_id: string }) => ap_id);
        for (const { ap_id } of aps) expect(names).toContain(ap_id);
        await send('GET', `/api/v1/metrics/presence?agents=${aps[0].ap_id}`);
        const refused = await nodes
          .at(-1)!
          .request('POST', `/api/v1/send_command?agent_id=${aps[0].ap_id}&command=sleep`, {
            token: admin,
          });
        expect([refused.status, refused.body.code]).toEqual([404, 'agent_ended']);
        if (how !== 'owner gone')
          expect(await send('GET', `/api/v1/emulator/${job_number}`)).toMatchObject({ is_over: true });
      }),
      { numRuns: rounds(40, kind.dialect === 'postgres' ? 4 : 12), endOnFailure: true },
    );
  });
});

/** One line for each place in which they differ. */
function differing(before: unknown, after: unknown, path = ''): string[] {
  const [a, b] = [before, after].map(
    (each) => (typeof each === 'object' ? each : null) as Record<string, unknown> | null,
  );
  if (!a || !b)
    return Object.is(before, after) ? [] : [`${path}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) =>
    differing(a[key], b[key], `${path}.${key}`),
  );
}

function withoutTimes(text: string): string {
  return text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then').replaceAll(/Last report: [^;]*/g, 'Last report');
}
