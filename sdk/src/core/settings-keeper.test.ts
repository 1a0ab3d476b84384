// The dead man's switch: whatever ends the process, the access point runs its old settings or confirmed new ones.
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { rounds } from '../../../test/rounds.ts';
import { type Settings, SettingsKeeper, type SettingsOptions } from './settings-keeper.ts';
import { SettingsFolder } from './settings-storage.ts';

const folders: string[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** An access point that outlives the processes of its agent, and a Weft that hears them. */
class Scene {
  readonly folder = mkdtempSync(join(tmpdir(), 'weft-settings-'));
  device: Settings = { channel: 36 };
  said: {
    type: string;
    hash: string | null;
    state?: string;
    reverted?: object;
    reason?: string;
    settings?: Settings;
  }[] = [];
  renewals = 0;
  /** After so many steps the process is gone; what it does then has no effect. */
  stepsLeft = Number.POSITIVE_INFINITY;
  refuses = false;
  keep: SettingsOptions['keep'];
  isForgotten = false;
  cannotTell = false;
  keeper!: SettingsKeeper;

  constructor() {
    folders.push(this.folder);
  }

  async start(steps = Number.POSITIVE_INFINITY): Promise<void> {
    this.stepsLeft = steps;
    this.keeper = new SettingsKeeper({
      storage: new SettingsFolder(this.folder),
      declare: {},
      apply: async (settings) => {
        for (const [name, value] of Object.entries(settings)) {
          await this.#step();
          this.device[name] = value;
        }
        await this.#step();
        if (this.refuses && settings.channel !== 36) throw new Error('radar');
      },
      running: () => {
        if (this.cannotTell) throw new Error('no answer');
        return { ...this.device };
      },
      keep: (settings) => this.keep?.(settings),
      isForgotten: () => this.isForgotten,
    });
    this.keeper.use({
      send: (text) => this.said.push(JSON.parse(text)),
      renew: () => {
        this.renewals++;
      },
      onError: () => {},
    });
    await this.keeper.begin();
  }

  /** A process that is killed never goes on: nothing after this has an effect. */
  async #step(): Promise<void> {
    if (this.stepsLeft-- <= 0) await new Promise(() => {});
  }

  /** Until what is under way is done, or the process is gone. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  }
}

const config = (id: string, settings: Settings) => ({
  type: 'config' as const,
  id,
  hash: `hash of ${id}`,
  settings,
  trial_seconds: 120,
});

test('applied, said over a new connection, confirmed, kept', async () => {
  const scene = new Scene();
  await scene.start();
  scene.keeper.hear(config('a', { channel: 100 }));
  await scene.settle();
  expect(scene.device).toEqual({ channel: 100 });
  expect(scene.said).toMatchObject([{ type: 'config_result', state: 'applied' }]);
  expect(scene.renewals).toBe(1);
  scene.keeper.opened();
  await scene.settle();
  const runs = { type: 'config_running', hash: 'hash of a', settings: { channel: 100 } };
  expect(scene.said.at(-1)).toEqual({ ...runs, trial: 'a' });
  scene.keeper.hear({ type: 'config_confirm', id: 'a', hash: 'hash of a' });
  await scene.settle();
  expect(scene.said.at(-1)).toEqual(runs);
  await scene.start();
  expect(scene.device).toEqual({ channel: 100 });
  expect(readdirSync(scene.folder)).toEqual(['settings.json']);
});

test('without a confirmation in time the old settings come back', async () => {
  vi.useFakeTimers();
  const scene = new Scene();
  await scene.start();
  scene.keeper.hear(config('a', { channel: 100 }));
  await scene.settle();
  await vi.advanceTimersByTimeAsync(119_000);
  expect(scene.device).toEqual({ channel: 100 });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(scene.device).toEqual({ channel: 36 });
  expect(scene.said.at(-1)).toMatchObject({
    hash: null,
    reverted: { id: 'a', reason: 'no confirmation within 120 s' },
  });
});

test('a trial that a restart has ended is not begun again when it is delivered again', async () => {
  const scene = new Scene();
  await scene.start();
  scene.keeper.hear(config('a', { channel: 100 }));
  await scene.settle();
  await scene.start();
  scene.keeper.hear(config('a', { channel: 100 }));
  await scene.settle();
  expect(scene.device).toEqual({ channel: 36 });
  expect(scene.said.at(-1)).toMatchObject({ hash: null, reverted: { id: 'a' } });
});

test('all that ran comes back, also what the settings have changed beside themselves', async () => {
  const scene = new Scene();
  scene.device = { channel: 36, power: 20 };
  await scene.start();
  scene.keeper.hear(config('a', { channel: 149 }));
  await scene.settle();
  scene.device.power = 14;
  await scene.start();
  expect(scene.device).toEqual({ channel: 36, power: 20 });
});

test('a trial goes on over another line; what runs is said again only if it has changed', async () => {
  const scene = new Scene();
  await scene.start();
  scene.keeper.hear(config('a', { channel: 100 }));
  await scene.settle();
  const said: { settings: Settings }[] = [];
  scene.keeper.use({ send: (text) => said.push(JSON.parse(text)), renew: () => {}, onError: () => {} });
  await scene.keeper.begin();
  scene.keeper.opened();
  scene.keeper.changed();
  await scene.settle();
  expect(said).toMatchObject([{ hash: 'hash of a', settings: { channel: 100 } }]);
  // Said twice before it is confirmed, the second would be taken for the word after it.
  scene.device.channel = 40;
  scene.keeper.changed();
  scene.keeper.hear(config('a', { channel: 100 }));
  await scene.settle();
  scene.device.channel = 100;
  expect(said).toHaveLength(1);
  scene.keeper.hear({ type: 'config_confirm', id: 'a', hash: '' });
  await scene.settle();
  scene.device.channel = 40;
  scene.keeper.changed();
  scene.keeper.changed();
  await scene.settle();
  expect(said.slice(-2)).toMatchObject([
    { settings: { channel: 100 } },
    { hash: 'hash of a', settings: { channel: 40 } },
  ]);
});

test('what cannot be applied is refused, with the reason, and taken back', async () => {
  const scene = new Scene();
  await scene.start();
  scene.keeper.hear(config('a', { channel: 36 }));
  await scene.settle();
  scene.keeper.hear({ type: 'config_confirm', id: 'a', hash: 'hash of a' });
  scene.refuses = true;
  scene.keeper.hear(config('b', { channel: 100 }));
  await scene.settle();
  expect(scene.device).toEqual({ channel: 36 });
  expect(scene.said.at(-2)).toMatchObject({ type: 'config_result', state: 'refused', reason: 'radar' });
  expect(scene.said.at(-1)).toMatchObject({ type: 'config_running', hash: 'hash of a' });
});

test('without the present settings there is no way back, so that nothing is touched', async () => {
  const scene = new Scene();
  await scene.start();
  scene.cannotTell = true;
  scene.keeper.hear(config('a', { channel: 100 }));
  await scene.settle();
  expect(scene.said).toMatchObject([{ state: 'refused', reason: 'the present settings cannot be read: no answer' }]);
  expect([scene.device, readdirSync(scene.folder)]).toEqual([{ channel: 36 }, []]);
});

test('secrets are in clear for the access point, and in no word to Weft; the file is for its owner alone', async () => {
  const scene = new Scene();
  await scene.start();
  const networks = [{ ssid: 'guest', passphrase: { secret: 'psk', version: 2, value: 'correct horse' } }];
  scene.keeper.hear(config('a', { networks }));
  await scene.settle();
  scene.keeper.opened();
  await scene.settle();
  expect(scene.device.networks).toEqual([{ ssid: 'guest', passphrase: 'correct horse' }]);
  expect(scene.said.at(-1)?.settings).toMatchObject({
    networks: [{ ssid: 'guest', passphrase: { secret: 'psk', version: 2 } }],
  });
  expect(JSON.stringify(scene.said)).not.toContain('correct horse');
  scene.keeper.hear({ type: 'config_confirm', id: 'a', hash: '' });
  await scene.settle();
  scene.device.networks = [{ ssid: 'guest', passphrase: 'somebody else' }];
  scene.keeper.changed();
  await scene.settle();
  expect(scene.said.at(-1)?.settings).toMatchObject({ networks: [{ passphrase: { secret: 'psk', version: 0 } }] });
  for (const name of readdirSync(scene.folder)) expect(statSync(join(scene.folder, name)).mode & 0o777).toBe(0o600);
});

test('what the access point starts with is changed once it is confirmed, also by the process after a kill', async () => {
  const scene = new Scene();
  const kept: Settings[] = [];
  scene.keep = (settings) => void kept.push(settings);
  await scene.start();
  scene.keeper.hear(config('a', { channel: 100 }));
  await scene.settle();
  expect(kept).toEqual([]);
  scene.keep = () => new Promise(() => {});
  scene.keeper.hear({ type: 'config_confirm', id: 'a', hash: '' });
  await scene.settle();
  scene.keep = (settings) => void kept.push(settings);
  await scene.start();
  expect([kept, scene.device]).toEqual([[{ channel: 100 }], { channel: 100 }]);
  await scene.start();
  expect(kept).toHaveLength(1);
});

test('an access point that has forgotten its confirmed settings gets them again', async () => {
  const scene = new Scene();
  await scene.start();
  scene.keeper.hear(config('a', { channel: 100 }));
  await scene.settle();
  scene.keeper.hear({ type: 'config_confirm', id: 'a', hash: '' });
  await scene.settle();
  scene.device = { channel: 36 };
  await scene.start();
  expect(scene.device).toEqual({ channel: 36 });
  scene.isForgotten = true;
  await scene.start();
  expect(scene.device).toEqual({ channel: 100 });
});

test('a secret that Weft does not know stays here, and comes back; nothing half written is left', async () => {
  const scene = new Scene();
  scene.device = { key: { secret: 'unknown', version: 0, value: 'mine' } };
  writeFileSync(join(scene.folder, 'settings-trial.json.new'), 'correct ho');
  await scene.start();
  expect(readdirSync(scene.folder)).toEqual([]);
  scene.keeper.hear(config('a', { key: { secret: 'psk', version: 2, value: 'theirs' } }));
  await scene.settle();
  expect(scene.device).toEqual({ key: 'theirs' });
  await scene.start();
  expect(scene.device).toEqual({ key: 'mine' });
  scene.device = { key: { secret: 'unknown', version: 0, value: 'mine' } };
  scene.keeper.opened();
  await scene.settle();
  expect(scene.said.at(-1)?.settings).toEqual({ key: { secret: 'unknown', version: 0 } });
  expect(JSON.stringify(scene.said.at(-1))).not.toContain('mine');
});

test('after any sequence of kills it runs old settings or confirmed new ones', async () => {
  const round = fc.record({
    settings: fc.record({ channel: fc.constantFrom(36, 40, 100), power: fc.integer({ min: 1, max: 20 }) }),
    /** When the process that takes them ends, and the one after it, which has to put things right. */
    kill: fc.nat(6),
    killAgain: fc.option(fc.nat(4), { nil: undefined }),
    isConfirmed: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(round, { maxLength: 6 }), async (rounds) => {
      const scene = new Scene();
      scene.device = { channel: 36, power: 10 };
      let good: Settings = { ...scene.device };
      for (const [at, { settings, kill, killAgain, isConfirmed }] of rounds.entries()) {
        await scene.start(kill);
        scene.keeper.hear(config(`c${at}`, settings));
        await scene.settle();
        const isApplied = scene.stepsLeft >= 0;
        if (isConfirmed && isApplied) {
          scene.keeper.hear({ type: 'config_confirm', id: `c${at}`, hash: '' });
          await scene.settle();
          good = settings;
        }
        if (killAgain !== undefined) {
          void scene.start(killAgain);
          await scene.settle();
        }
        await scene.start();
        expect(scene.device).toEqual(good);
      }
      rmSync(scene.folder, { recursive: true, force: true });
    }),
    { numRuns: rounds(200) },
  );
});
