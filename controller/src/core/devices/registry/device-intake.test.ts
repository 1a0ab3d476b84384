// A long list of devices is applied in parts, between which others have turns; lists of one access point stay in order.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { hearsNothing } from '../../telemetry/ingest/device-list.ts';
import { Pseudonyms } from '../privacy/pseudonyms.ts';
import type { DeviceChange } from './device-changes.ts';
import { DeviceIntake } from './device-intake.ts';
import { DeviceJournal } from './device-journal.ts';
import { DeviceRegistry } from './device-registry.ts';

/** A clock in the hands of the test. */
let nowMs = 0;
beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Each takes a tenth of a millisecond. */
class SlowPseudonyms extends Pseudonyms {
  override of(identity: string): string {
    nowMs += 0.1;
    return super.of(identity);
  }
}

function setUp() {
  const added: { turn: number; changes: readonly DeviceChange[] }[] = [];
  let turn = 0;
  /** Some of the first list is applied, and most of it is not. */
  const begun = Promise.withResolvers<void>();
  const journal = new DeviceJournal({
    database: { dialect: 'sqlite', transaction: async (work) => work({ query: async () => [] }) },
    store: { write: async () => [] },
    eventLog: { append: async () => {} },
  });
  const registry = new DeviceRegistry({
    pseudonyms: new SlowPseudonyms(Buffer.alloc(32, 1)),
    maxDevices: 10_000,
    onChanges: (changes) => {
      added.push({ turn, changes });
      begun.resolve();
      return journal.add(changes);
    },
  });
  const intake = new DeviceIntake(registry, journal);
  const countTurns = () => {
    turn++;
    counting = setImmediate(countTurns);
  };
  let counting = setImmediate(countTurns);
  return { registry, intake, added, begun: begun.promise, stop: () => clearImmediate(counting) };
}

const unknown = Number.NaN;
const values = { rssi_dbm: -50, snr_db: unknown, rx_mbps: unknown, tx_mbps: unknown, connected_seconds: unknown };
const list = (ts: number, count: number, from = 0) => ({
  ts,
  devices: Array.from({ length: count }, (_, n) => ({ identity: `d-${from + n}`, ...values, heard: hearsNothing })),
});

test('a list of 2,000 new devices is applied in parts, between which others have a turn, and so is the next one, which all of them leave', async () => {
  const { registry, intake, added, stop } = setUp();
  await Promise.all([intake.take('a', [list(1, 2_000)]), intake.take('a', [list(2, 2_000, 5_000)])]);
  stop();
  const kinds = Map.groupBy(
    added.flatMap(({ changes }) => changes),
    ({ kind }) => kind,
  );
  expect([kinds.get('joined')?.length, kinds.get('left')?.length]).toEqual([4_000, 2_000]);
  const joining = added.filter(({ changes }) => changes[0]!.kind === 'joined').map(({ turn }) => turn);
  // The last part of the first list and the first one of the second have one turn together.
  expect(new Set(joining).size).toBe(joining.length - 1);
  expect(joining.length).toBeGreaterThan(100);
  expect(registry.agent('a')).toMatchObject({ listTs: 2, linkCount: 2_000 });
  expect(registry.table.linkCount).toBe(2_000);
});

test('an access point that is removed meanwhile has no devices afterwards', async () => {
  const { registry, intake, added, begun, stop } = setUp();
  const taken = intake.take('a', [list(1, 2_000)]);
  await begun;
  registry.removeAgent('a');
  await taken;
  stop();
  expect(added.length).toBeLessThan(10);
  expect(registry.table.linkCount).toBe(0);
});

test('devices that are removed meanwhile, and other lists, do not disturb it', async () => {
  const { registry, intake, added, begun, stop } = setUp();
  const taken = intake.take('a', [list(1, 1_000)]);
  await begun;
  const [{ changes }] = added as [(typeof added)[number]];
  registry.removeDevice(registry.table.find(changes[0]!.link.device)!);
  await intake.take('b', [list(2, 10)]);
  await taken;
  stop();
  expect(registry.agent('a')!.linkCount).toBe(999);
  expect(registry.agent('b')!.linkCount).toBe(10);
  await intake.take('a', [list(3, 1_000)]);
  expect(registry.agent('a')!.linkCount).toBe(1_000);
});
