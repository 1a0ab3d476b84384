// One round: settings are given, the agent is killed at a step of the switch, perhaps with the power, and started again. Afterwards the access
// point runs its old settings or confirmed new ones, and Weft says which.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { KillAt } from './access-point-air.ts';
import { untilSo } from './pure/until-so.ts';
import type { SettableAccessPoint } from './settable-access-point.ts';

let count = 0;

/** Resolves at which step it was killed, and how it ended. */
export async function killRound(
  ap: SettableAccessPoint,
  kill: Omit<KillAt, 'pid'>,
  { isPowerCut = false } = {},
): Promise<{ step: string; end: string }> {
  const round = ++count;
  const before = await ap.air();
  const channel = before.channel === 40 ? 44 : 40;
  await ap.killAt(kill);
  await ap.give({ channel, networks: [{ ssid: `round ${round}`, passphrase: { secret: 'psk' } }] });
  await untilSo(async () => {
    if (ap.isRunning) expect((await ap.config()).state).toBe('in_sync');
  });
  const wasKilled = !(await ap.killAt(null));
  if (wasKilled) await untilSo(() => expect(ap.isRunning).toBe(false));
  const has = (name: string) => existsSync(join(ap.folder, 'state', ap.ap_id, name));
  const { state } = await ap.config();
  const step = wasKilled ? `${state}, ${has('settings-trial.json') ? 'journal' : 'no journal'}` : 'not killed';
  if (wasKilled) {
    if (isPowerCut) await ap.cutPower();
    ap.startAgent();
  }
  const end = await untilSo(async () => {
    const { state } = await ap.config();
    expect(['in_sync', 'reverted']).toContain(state);
    return state as string;
  });
  const after = await ap.air();
  const confirmed = { ssid: `round ${round}`, channel };
  expect(after).toMatchObject(end === 'in_sync' ? confirmed : { ssid: before.ssid, channel: before.channel });
  // Also what hostapd starts with.
  await untilSo(() => expect(ap.text().split('\n')).toContain(`ssid=${after.ssid}`));
  expect(ap.text().split('\n')).toContain(`channel=${after.channel}`);
  await untilSo(() => expect(has('settings-trial.json')).toBe(false));
  return { step, end };
}
