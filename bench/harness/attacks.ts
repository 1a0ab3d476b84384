// What one caller can ask for that takes long, and the data that makes it take long.
import type { StoredAgent } from './fleet.ts';
import { light } from './load.ts';

const names = 1_000;
const wideRows = 2_000;
const longRows = 43_000;

/** What one caller asks for, again and again. `#` is another number each time. */
export interface Attack {
  what: string;
  /** At the same time; default: 10. */
  atOnce?: number;
  path: string;
  body?: object;
  token?: string;
  pauseMs?: number;
  /** The answer does not end: that much of it is read. */
  readsBytes?: number;
}

export function attacksOn({
  wide,
  long,
  flooding,
  token,
  job,
}: Record<'wide' | 'long' | 'flooding', StoredAgent> & { token: string; job: string | undefined }): Attack[] {
  const since = Date.now() - wideRows * 60_000;
  const rule = { name: 'x', condition: { metric: 'a', op: '>', value: 5 }, severity: 'minor' };
  const bulk = { selector: 'name:ap-*', action: { labels: { add_tags: ['x'] } }, preview: true };
  const api = (path: string) => `/api/v1${path}`;
  return [
    { what: 'ten exports of 1,000 names (csv)', path: api(`/metrics/export?agent=${wide.ap_id}&start=${since}`) },
    {
      what: 'ten exports of 1,000 names (ndjson)',
      path: api(`/metrics/export?agent=${wide.ap_id}&format=ndjson&start=${since}`),
    },
    {
      what: 'ten exports of 30 days (csv)',
      path: api(`/metrics/export?agent=${long.ap_id}&start=${Date.now() - longRows * 60_000}`),
    },
    {
      what: '60 queries of 30 days, 10,000 points',
      atOnce: 60,
      path: api(`/metrics/agent_multi_metric_data?agent=${long.ap_id}&metrics=a,b,c&window=30d&max_points=1####`),
    },
    {
      what: '60 queries of all fields of 30 days',
      atOnce: 60,
      path: api(`/metrics/agent_data?agent=${long.ap_id}&window=30d&max_points=1####`),
    },
    {
      what: 'series of 100 access points',
      path: api(
        `/metrics/series?agents=${Array.from({ length: 100 }, (_, n) => `ap-${n}`).join()}&metrics=a,b&window=30d&max_points=1###`,
      ),
    },
    { what: 'pages of 500 events', path: api('/events?limit=500') },
    { what: 'searches among events', path: api('/events?limit=500&subject=nobody') },
    { what: 'streams of all events', atOnce: 5, path: api('/events/stream?after=1'), readsBytes: 2_000_000 },
    { what: 'pages of the audit log', path: api('/audit?limit=500') },
    { what: 'previews of alarm rules', atOnce: 2, path: api('/alarm_rules/preview?window=168'), body: rule },
    { what: 'previews of bulk changes', path: api('/bulk'), body: bulk },
    { what: 'all access points with configurations', path: api('/agents?limit=1000&fields=configuration,latest') },
    { what: 'access points by a metric', path: api('/agents?limit=1000&sort=-a&selector=state:online&count=true') },
    { what: 'details of all access points', path: api('/metrics/agent_details') },
    { what: 'newest values of all', path: api('/metrics/latest') },
    { what: 'values for Prometheus', atOnce: 4, path: '/metrics/agents' },
    { what: 'lists of 1,000 devices', path: api('/devices?limit=1000') },
    { what: 'health of all', path: api('/health') },
    {
      what: 'batches of commands that are tried',
      path: api('/commands/batch'),
      body: { agents: '*', command: 'sleep', dry_run: true },
    },
    {
      what: '2,000 new devices twice a second',
      atOnce: 1,
      path: api('/agent_update/update'),
      token: flooding.token,
      body: { devices: Array.from({ length: 2_000 }, (_, n) => ({ device: `d-#######-${n}` })) },
      pauseMs: 500,
    },
    ...(job === undefined
      ? []
      : [
          {
            what: 'radio maps',
            atOnce: 4,
            path: api(`/emulator/${job}/coverage?layer=rate&technology=WiFi&columns=24#`),
          },
        ]),
  ].map((attack) => ({ token, ...attack }));
}

export async function fill(url: string, token: string, fleet: readonly StoredAgent[]): Promise<void> {
  const [wide, long] = fleet as [StoredAgent, StoredAgent];
  const post = async (path: string, by: string, body: unknown) => {
    const headers = { authorization: `Bearer ${by}`, 'content-type': 'application/json' };
    const { status, text } = await light(`${url}/api/v1${path}`, { method: 'POST', headers }, JSON.stringify(body));
    if (status !== 200) throw new Error(`${path}: ${status} ${text.slice(0, 300)}`);
    return text;
  };
  const report = (agent: StoredAgent, body: unknown) => post('/agent_update/update', agent.token, body);
  const minuteMs = 60_000;
  for (let row = wideRows; row > 0; row -= 50) {
    const samples = Array.from({ length: 50 }, (_, n) => ({
      ts: Date.now() - (row - n) * minuteMs,
      ...Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`m${(row + n + at * 50) % names}`, row + at])),
    }));
    await report(wide, { samples });
  }
  for (let row = longRows; row > 0; row -= 1_000) {
    const samples = Array.from({ length: 1_000 }, (_, n) => {
      const value = (row + n) % 977;
      return { ts: Date.now() - (row - n) * minuteMs + minuteMs, a: value, b: value / 7, c: value % 13 };
    });
    await report(long, { samples });
  }
  for (const agent of fleet) await report(agent, { a: 1, b: 2.5, c: 3, temperature_celsius: 41.5 });
  for (const [at, agent] of fleet.slice(10, 30).entries()) {
    await report(agent, { devices: Array.from({ length: 1_000 }, (_, n) => ({ device: `f-${at}-${n}` })) });
  }
  for (const tag of ['one', 'two']) {
    await post('/bulk', token, { selector: 'name:ap-*', action: { labels: { add_tags: [tag] } } });
  }
}
