// Emulated access points are what they shall be: over the real server, through the agents of a run.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTask } from '../../../test/pure/emulator-task.ts';
import { untilSo } from '../../../test/pure/until-so.ts';
import { password, startWeft, type TestWeft } from '../../../test/weft.ts';
import type { FaultRequest } from '../access-points/faults.ts';
import { AgentFleet } from './agent-fleet.ts';
import { EmulatedRun, type RunEntry } from './emulated-run.ts';

let weft: TestWeft;
let admin: string;
beforeAll(async () => {
  weft = await startWeft();
  admin = await weft.admin();
});
afterAll(() => weft.stop());

async function ok(method: string, path: string, json?: Record<string, unknown>) {
  const answer = await weft.request(method, `/api/v1${path}`, { token: admin, ...(json && { json }) });
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** A network of one access point, whose time goes on whenever somebody looks. */
class Network {
  readonly ap_id: string;
  readonly entries: RunEntry[] = [];
  readonly run: EmulatedRun;
  readonly #fleet: AgentFleet;
  /** Goes wrong in the middle of the first settings. */
  #fault: FaultRequest | undefined;

  constructor(prefix: string, type: string, fault?: FaultRequest) {
    const modelStart = Date.now() - 86_400_000;
    const task = createTask({ durations: [86_000], types: [type], devicesEach: 2, modelStart, password, prefix });
    this.ap_id = task.agents[0]!.ap_id;
    this.#fault = fault;
    this.run = EmulatedRun.begin(task, (entry) => this.#note(entry));
    const shared = { url: weft.url, trustedCertificate: undefined, samplesPerReport: 1, onTrouble: () => {} };
    this.#fleet = new AgentFleet({ ...shared, task, run: this.run });
  }

  #note(entry: RunEntry): void {
    this.entries.push(entry);
    const fault = this.#fault;
    if (entry.kind !== 'settings' || !fault) return;
    this.#fault = undefined;
    this.run.world.fault(this.ap_id, fault);
    this.#fleet.follow();
  }

  /** With a roll-out to it, once it has said what it can be set to. */
  async start(settings: Record<string, unknown>): Promise<this> {
    await weft.agent(this.ap_id);
    await this.until(async () => expect((await this.view('running')).settings).toMatchObject(this.runs));
    const layers = [{ name: this.ap_id, selector: `name:${this.ap_id}`, weight: 10, settings }];
    const { id } = await ok('POST', '/config/change_sets', { title: 'a change', layers });
    await ok('POST', `/config/change_sets/${id}/rollout`, {});
    return this;
  }

  get runs(): Record<string, number> {
    return this.run.world.settingsOf(this.ap_id);
  }

  view(view: string) {
    return ok('GET', `/agents/${this.ap_id}/config?view=${view}`);
  }

  until(check: () => Promise<unknown>): Promise<unknown> {
    return untilSo(async () => {
      if (!this.run.isOver) this.#fleet.hold(this.run.advance());
      this.#fleet.follow();
      this.#fleet.flush();
      await check();
    });
  }

  /** How often it was given settings. */
  get applied(): number {
    return this.entries.filter(({ kind }) => kind === 'settings').length;
  }

  stop(): Promise<void> {
    return this.#fleet.stop(0);
  }
}

test('a roll-out changes the radio, reports follow, and a command lies over it', async () => {
  const network = await new Network('roll', 'WiFi').start({ channel: 100, tx_power_dbm: 12 });
  await network.until(async () => expect(await network.view('diff')).toMatchObject({ state: 'in_sync' }));
  expect(network.runs).toMatchObject({ channel: 100, tx_power_dbm: 12 });
  await network.until(async () =>
    expect((await weft.rowsOf(network.ap_id)).at(-1)).toMatchObject({ channel: 100, tx_power_dbm: 12 }),
  );
  expect(network.applied).toBe(1);
  const command = JSON.stringify({ name: 'set_channel', channel: 36 });
  await ok('POST', `/send_command?${new URLSearchParams({ agent_id: network.ap_id, command })}`);
  await network.until(async () =>
    expect(await network.view('diff')).toMatchObject({
      state: 'overridden',
      differences: [{ leaf: 'channel', running: 36 }],
    }),
  );
  await network.stop();
});

test('what it can only do nearly is told', async () => {
  const network = await new Network('near', '5G').start({ handover_margin_db: 1.2, prb_quota_pct: 80 });
  await network.until(async () =>
    expect(await network.view('diff')).toMatchObject({ state: 'substituted', detail: 'handover_margin_db' }),
  );
  expect(network.runs).toMatchObject({ handover_margin_db: 1, prb_quota_pct: 80 });
  await network.stop();
});

test('a crash during the trial brings back all that ran before', async () => {
  const network = new Network('crash', 'WiFi', { kind: 'crash', seconds: 2 });
  const before = network.runs;
  // A channel on which little power is allowed.
  await network.start({ channel: 149 });
  await network.until(async () =>
    expect(await network.view('diff')).toMatchObject({
      state: 'reverted',
      detail: 'the access point was restarted during the trial',
    }),
  );
  expect(network.runs).toEqual(before);
  await network.stop();
});

test('a trial outlives a cut of the line', async () => {
  const network = await new Network('cut', 'LiFi', { kind: 'backhaul_cut', seconds: 5 }).start({ dimming_pct: 40 });
  await network.until(async () => expect(await network.view('diff')).toMatchObject({ state: 'in_sync' }));
  expect(network.applied).toBe(1);
  await network.stop();
});
