// A fleet that exists only in the browser, of any size: for lists and maps of thousands without thousands of agents.

import type { Page } from 'playwright-core';

export type ImaginedFleet = ReturnType<typeof imagineFleet>;

/** What lists and maps are made of; the same at every run. */
export function imagineFleet(count: number) {
  const technologies = ['5G', 'WiFi', 'LiFi'];
  const states = ['online', 'online', 'online', 'online', 'late', 'offline'];
  const seen = new Date().toISOString();
  const names = Array.from({ length: count }, (_, index) => `ap-${String(index + 1).padStart(5, '0')}`);
  const items = names.map((ap_id, index) => ({
    id: ap_id,
    ap_id,
    display_name: null,
    site: null,
    tags: [],
    access_point_type: technologies[index % 3],
    state: states[index % states.length],
    health: 'good' as const,
    power_state: null,
    last_seen: seen,
    onboard: true,
    emulated: false,
    created_at: seen,
    may: [],
    configuration: {
      access_point_type: technologies[index % 3],
      // A town with dense quarters.
      geolocation: {
        latitude: 51.45 + Math.sin(index * 12.9898) * 0.12 * Math.sin(index),
        longitude: -2.6 + Math.cos(index * 78.233) * 0.2 * Math.cos(index * 0.7),
      },
    },
  }));
  const agents = names.map((ap_id, index) => ({
    ap_id,
    presence: states[index % states.length],
    last_seen: seen,
    since: seen,
    reason: 'It is imagined.',
    report_interval_seconds: 1,
    channel: true,
    command_ready: true,
  }));
  return { names, items, presence: { agents } };
}

/** The page gets this fleet instead of the server's, part by part as the server would give it. */
export async function routeFleet(page: Page, { items, presence }: ImaginedFleet): Promise<void> {
  await page.route(/\/api\/v1\/agents\/?\?/, (route) => {
    const query = new URL(route.request().url()).searchParams;
    const state = /state:(\w+)$/.exec(query.get('selector') ?? '')?.[1];
    const search = query.get('search') ?? '';
    const matching = items.filter((item) => item.ap_id.includes(search) && (!state || item.state === state));
    const from = Number(query.get('cursor') ?? 0);
    const end = from + Number(query.get('limit') ?? 100);
    const next = end < matching.length ? String(end) : null;
    return route.fulfill({ json: { items: matching.slice(from, end), next, count: matching.length } });
  });
  await page.route('**/api/v1/metrics/presence', (route) => route.fulfill({ json: presence }));
}
