import { describe, expect, test } from 'vitest';
import { town } from '../town.ts';
import { createWorld, type World } from '../world/world.ts';
import { accessPointTypes } from '../world/world-spec.ts';

const run = (world: World, seconds: number) => Array.from({ length: seconds }, () => world.step());
const fieldOf = (world: World, ap_id: string, metric: string) => world.latest(ap_id)!.fields[metric]!;
const mixed = (devicesEach = 8) => {
  const world = createWorld(town({ counts: { '5G': 4, WiFi: 4, LiFi: 4 }, devicesEach }));
  run(world, 10);
  return world;
};
const meanOf = (world: World, ap_id: string, metric: string, seconds: number) => {
  let sum = 0;
  for (let n = 0; n < seconds; n++) {
    world.step();
    sum += fieldOf(world, ap_id, metric);
  }
  return sum / seconds;
};

describe('what is declared', () => {
  test.each(accessPointTypes)('%s: names, parameters and bounds', (type) => {
    const world = createWorld(town({ counts: { [type]: 1 }, devicesEach: 1 }));
    const { commands } = world.accessPoints[0]!;
    for (const { name, parameter, params } of commands) {
      expect(name).toMatch(/^[a-z_]+$/);
      expect(parameter).toMatch(/^[a-z_]+$/);
      for (const [argument, { type, minimum, maximum, enum: values }] of Object.entries(params)) {
        // An object, for which declarations have no type.
        if (argument === 'weights') continue;
        expect(['number', 'integer', 'string', 'boolean']).toContain(type);
        if (type === 'number' || type === 'integer') expect(values ?? [minimum, maximum]).not.toContain(undefined);
      }
    }
    const states = commands.filter(({ parameter }) => parameter === 'power_state').map(({ name }) => name);
    expect(states).toEqual(type === '5G' ? ['doze', 'sleep', 'wake'] : ['sleep', 'wake']);
    expect(JSON.parse(JSON.stringify(commands))).toEqual(commands);
  });

  test('settings are what commands set, in the words of metrics', () => {
    const world = mixed();
    const leaves = (ap_id: string) => Object.keys(world.accessPoint(ap_id).settings).sort();
    expect(leaves('wifi-0')).toEqual(['channel', 'channel_width_mhz', 'tx_power_dbm']);
    expect(leaves('lifi-0')).toEqual(['beam_angle_degrees', 'channel', 'dimming_pct']);
    expect(leaves('5g-0')).toEqual([
      'handover_margin_db',
      'prb_quota_pct',
      'tilt_degrees',
      'time_to_trigger_s',
      'tx_power_dbm',
    ]);
    expect(world.accessPoint('wifi-0').settings).toMatchObject({
      channel: { type: 'integer', parameter: 'channel', restart: 'radio' },
      tx_power_dbm: { type: 'number', minimum: 0, maximum: 23, parameter: 'tx_power', restart: 'none' },
    });
  });

  test('each declared command can be given, at both ends of its range', () => {
    const world = mixed();
    for (const ap_id of ['5g-0', 'wifi-0', 'lifi-0']) {
      const { commands } = world.accessPoint(ap_id);
      const setters = commands.filter(({ name, params }) => name.startsWith('set_') && !params.device);
      for (const { name, params } of setters) {
        for (const pick of [0, -1]) {
          const args = Object.entries(params).map(
            ([arg, { minimum, maximum, enum: values = [minimum!, maximum!] }]) => [arg, values.at(pick)],
          );
          expect([name, world.command(ap_id, name, Object.fromEntries(args)).state]).toEqual([name, 'succeeded']);
          world.step();
        }
      }
    }
  });
});

describe('a refused command changes nothing', () => {
  test.each<[string, string, Record<string, unknown>, string]>([
    ['5g-0', 'set_dimming', { percent: 5 }, 'does not know'],
    ['5g-0', 'toString', {}, 'does not know'],
    ['5g-0', 'set_tx_power', { dbm: 39 }, '10 to 38'],
    ['5g-0', 'set_tx_power', { dbm: '20' }, 'must be a number'],
    ['5g-0', 'set_tx_power', { dbm: Number.NaN }, 'must be a number'],
    ['5g-0', 'set_tx_power', {}, 'must be a number'],
    ['5g-0', 'set_tx_power', { dbm: 20, watts: 1 }, 'unknown argument watts'],
    ['5g-0', 'set_prb_quota', { percent: 1.5 }, 'whole number'],
    ['wifi-0', 'set_channel', { channel: 37 }, 'one of 36'],
    ['wifi-0', 'set_report_interval', { seconds: 0 }, '1 to 3600'],
    ['wifi-0', 'steer_device', { device: 'device-0' }, 'target must be a text'],
    ['wifi-0', 'steer_device', { device: 'x', target: 'wifi-1' }, 'not attached'],
    ['wifi-0', 'steer_device', { target: 'nowhere' }, 'not known'],
    ['wifi-0', 'steer_device', { target: 'wifi-0' }, 'this access point'],
    ['wifi-0', 'steer_device', { target: 'wifi-1', force: 1 }, 'true or false'],
    ['wifi-0', 'set_channel_width', { mhz: 60 }, 'one of 20'],
    ['wifi-0', 'doze', {}, 'does not know'],
    ['5g-0', 'set_handover_margin', { db: 11 }, '0 to 10'],
    ['5g-0', 'set_time_to_trigger', { seconds: 1.5 }, 'whole number'],
  ])('%s %s %j', (ap_id, name, args, reason) => {
    const world = mixed();
    const witness = world.clone();
    expect(world.command(ap_id, name, args)).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining(reason),
    });
    expect(run(world, 3)).toEqual(run(witness, 3));
  });

  test('and an unknown access point is an error of the caller', () => {
    expect(() => mixed().command('nowhere', 'sleep')).toThrow(RangeError);
  });
});

describe('what cannot be done exactly is done as well as possible, and said', () => {
  test.each<[string, string, Record<string, number>, Record<string, number>]>([
    ['5g-0', 'set_tx_power', { dbm: 20.3 }, { dbm: 20.5 }],
    ['5g-0', 'set_prb_quota', { percent: 1 }, { percent: 5 }],
    ['wifi-0', 'set_tx_power', { dbm: 17 }, { dbm: 17 }],
    ['wifi-0', 'set_channel', { channel: 149 }, { channel: 149, dbm: 14 }],
    ['lifi-0', 'set_dimming', { percent: 2 }, { percent: 5 }],
    ['lifi-0', 'set_dimming', { percent: 0 }, { percent: 0 }],
    ['lifi-0', 'set_beam_angle', { degrees: 33 }, { degrees: 35 }],
  ])('%s %s %j -> %j', (ap_id, name, args, applied) => {
    expect(mixed().command(ap_id, name, args)).toMatchObject({ state: 'succeeded', applied });
  });

  test('less power than wished where the law says so', () => {
    const world = mixed();
    world.command('wifi-0', 'set_channel', { channel: 153 });
    expect(world.command('wifi-0', 'set_tx_power', { dbm: 20 })).toMatchObject({ applied: { dbm: 14 } });
    run(world, 5);
    expect(fieldOf(world, 'wifi-0', 'tx_power_dbm')).toBe(14);
  });
});

describe('effects', () => {
  test('settings travel at their pace, and are there when the access point said', () => {
    const world = mixed();
    const result = world.command('5g-0', 'set_tilt', { degrees: 12 });
    expect(result).toMatchObject({ settles_in_seconds: 6 });
    run(world, 5);
    expect(fieldOf(world, '5g-0', 'tilt_degrees')).toBe(11);
    run(world, 1);
    expect(fieldOf(world, '5g-0', 'tilt_degrees')).toBe(12);
    expect(world.command('5g-0', 'set_tilt', { degrees: 12 })).toMatchObject({ settles_in_seconds: 0 });
  });

  test('less power: weaker signal here, less drawn, better quality next door', () => {
    const world = createWorld({ ...town({ counts: { '5G': 4 }, devicesEach: 25 }), peakMbpsPerDevice: 8 });
    run(world, 10);
    const lowered = world.clone();
    lowered.command('5g-0', 'set_tx_power', { dbm: 15 });
    run(world, 4);
    run(lowered, 4);
    expect(lowered.accessPoint('5g-0').connected_devices).toBeLessThan(world.accessPoint('5g-0').connected_devices);
    expect(meanOf(lowered, '5g-0', 'power_w', 20)).toBeLessThan(meanOf(world, '5g-0', 'power_w', 20));
    const handedTo = ['5g-1', '5g-2', '5g-3'].reduce((sum, ap) => sum + lowered.accessPoint(ap).connected_devices, 0);
    const without = ['5g-1', '5g-2', '5g-3'].reduce((sum, ap) => sum + world.accessPoint(ap).connected_devices, 0);
    expect(handedTo).toBeGreaterThan(without);
  });

  test('a beam tilted to the foot of the mast reaches less far', () => {
    const world = createWorld(town({ counts: { '5G': 1 }, devicesEach: 40 }));
    const tilted = world.clone();
    for (const one of [world, tilted]) one.command('5g-0', 'set_tx_power', { dbm: 38 });
    tilted.command('5g-0', 'set_tilt', { degrees: 15 });
    const [straight, down] = [world, tilted].map((one) => {
      run(one, 12);
      return { connected: one.accessPoint('5g-0').connected_devices, rsrp: fieldOf(one, '5g-0', 'rsrp_dbm') };
    });
    // Those who lose the cell were its weakest: the mean alone would hide them.
    expect(down!.connected).toBeLessThanOrEqual(straight!.connected);
    expect(down!.rsrp * down!.connected - 125 * (40 - down!.connected)).toBeLessThan(
      straight!.rsrp * straight!.connected - 125 * (40 - straight!.connected) - 20,
    );
  });

  test('a quota keeps the cell from its carrier; its devices wait', () => {
    const world = createWorld({ ...town({ counts: { '5G': 1 }, devicesEach: 60 }), peakMbpsPerDevice: 6 });
    run(world, 30);
    const limited = world.clone();
    limited.command('5g-0', 'set_prb_quota', { percent: 10 });
    run(world, 30);
    run(limited, 30);
    expect(fieldOf(limited, '5g-0', 'prb_load_pct')).toBeLessThanOrEqual(10);
    expect(fieldOf(limited, '5g-0', 'backlog_mbit')).toBeGreaterThan(fieldOf(world, '5g-0', 'backlog_mbit') * 1.2);
  });

  test('a dimmed lamp gives less light and less signal, and draws less', () => {
    const world = mixed();
    const bright = Object.fromEntries(
      ['illuminance_lx', 'rx_power_uw', 'power_w'].map((metric) => [metric, meanOf(world, 'lifi-0', metric, 20)]),
    );
    world.command('lifi-0', 'set_dimming', { percent: 40 });
    run(world, 3);
    for (const [metric, before] of Object.entries(bright))
      expect(meanOf(world, 'lifi-0', metric, 20)).toBeLessThan(before * 0.9);
  });

  test('a lamp that is dark serves nobody', () => {
    const world = mixed();
    world.command('lifi-0', 'set_dimming', { percent: 0 });
    run(world, 6);
    expect(world.accessPoint('lifi-0').connected_devices).toBe(0);
  });

  test('a narrow beam makes it brighter below the lamp', () => {
    const world = mixed();
    run(world, 1);
    const wide = fieldOf(world, 'lifi-0', 'illuminance_lx');
    world.command('lifi-0', 'set_beam_angle', { degrees: 30 });
    run(world, 7);
    expect(fieldOf(world, 'lifi-0', 'illuminance_lx')).toBeGreaterThan(wide);
  });

  test('a change of channel costs some seconds of service', () => {
    const world = mixed();
    const before = world.accessPoint('wifi-0').connected_devices;
    expect(world.command('wifi-0', 'set_channel', { channel: 100 })).toMatchObject({ settles_in_seconds: 4 });
    run(world, 2);
    expect(before).toBeGreaterThan(0);
    expect(world.accessPoint('wifi-0').connected_devices).toBe(0);
    run(world, 4);
    expect(fieldOf(world, 'wifi-0', 'channel')).toBe(100);
  });

  test('a steered device goes where it is sent, and stays for a while', () => {
    const world = createWorld(town({ counts: { WiFi: 4 }, devicesEach: 8 }));
    run(world, 5);
    const result = world.command('wifi-0', 'steer_device', { target: 'wifi-1' });
    expect(result).toMatchObject({
      state: 'succeeded',
      applied: { target: 'wifi-1', device: expect.stringMatching(/^device-\d+$/) },
    });
    const device = result.state === 'succeeded' ? String(result.applied.device) : '';
    run(world, 1);
    expect(world.devicesOf('wifi-1')).toContain(device);
    run(world, 60);
    expect(world.devicesOf('wifi-1')).toContain(device);
    run(world, 120);
    expect(world.command('wifi-1', 'steer_device', { device, target: 'wifi-0' }).state).toBe('succeeded');
    run(world, 1);
    expect(world.devicesOf('wifi-0')).toContain(device);
  });

  test('the report interval', () => {
    const world = mixed();
    world.command('wifi-0', 'set_report_interval', { seconds: 5 });
    const reports = run(world, 20)
      .flat()
      .filter(({ ap_id }) => ap_id === 'wifi-0');
    expect(reports.map(({ ts }) => ts)).toEqual([5, 10, 15, 20].map((second) => world.time - 20_000 + second * 1000));
    expect(world.accessPoint('wifi-0').report_interval_seconds).toBe(5);
  });

  test('a reboot is silence, and then all is as before', () => {
    const world = mixed();
    world.command('lifi-0', 'set_dimming', { percent: 80 });
    expect(world.command('lifi-0', 'reboot')).toMatchObject({ settles_in_seconds: 10 });
    const reports = run(world, 9)
      .flat()
      .filter(({ ap_id }) => ap_id === 'lifi-0');
    expect(reports).toEqual([]);
    expect(world.command('lifi-0', 'sleep')).toEqual({ state: 'unanswered' });
    run(world, 10);
    expect(world.latest('lifi-0')).toMatchObject({ ts: world.time, fields: { dimming_pct: 80, active: 1 } });
  });
});
