import { trafficClasses } from '@weft/contract/emulated-model';
import { describe, expect, it } from 'vitest';
import { EmulatorMix, type EmulatorSpec, type EmulatorSpinupRequest } from '../../../../contract/src/index.ts';
import { demandOf, type PlanLimits, planRun } from './emulator-plan.ts';

const NOW = Date.UTC(2026, 10, 15, 12);
const limits: PlanLimits = {
  maxAccessPoints: 2000,
  maxAccessPointsPerCaller: 1500,
  maxDeviceSeconds: 1e15,
  maxDurationSeconds: 604_800,
  retentionDays: 30,
};
const spec = (more: Partial<EmulatorSpec> = {}): EmulatorSpec => ({
  access_point_type: 'WiFi',
  num_access_points: 4,
  locations: ['51.4545,-2.5879'],
  num_devices: 10,
  duration: 600,
  ...more,
});
const plan = (emulators: EmulatorSpec[], more: Partial<EmulatorSpinupRequest> = {}, others: Partial<PlanLimits> = {}) =>
  planRun({ emulators, ...more }, { ...limits, ...others }, NOW, () => 99);
const problemsOf = (...args: Parameters<typeof plan>) => plan(...args).problems.map(({ loc, msg }) => [loc, msg]);

it('of very many problems the first hundred are told', () => {
  expect(problemsOf([spec({ locations: Array(5_000).fill('nowhere at all') })])).toHaveLength(100);
});

describe('a plan', () => {
  it('numbers the access points of all specs, and names the places', () => {
    const { plan: made, problems } = plan([spec({ locations: ['Bristol'] }), spec({ access_point_type: '5G' })]);
    expect(problems).toEqual([]);
    expect(made.accessPoints.map(({ emulator }) => emulator)).toEqual([0, 0, 0, 0, 1, 1, 1, 1]);
    expect(made.places).toEqual([
      expect.objectContaining({ emulator: 0, location: 0, given: 'Bristol', name: 'Bristol', country: 'GB' }),
    ]);
    expect(made).toMatchObject({ devices: 80, seed: 99, speed: 1, duration: 600, modelStartMs: NOW });
  });

  it('shares fewer places out in turn, and leaves more unused', () => {
    const places = ['10,10', '20,20', '30,30'];
    const few = plan([spec({ locations: places })]).plan.accessPoints.map(({ location }) =>
      Math.round(location.latitude),
    );
    expect(few).toEqual([10, 20, 30, 10]);
    const many = plan([spec({ locations: places, num_access_points: 2 })]).plan.accessPoints;
    expect(many.map(({ location }) => location.latitude)).toEqual([10, 20]);
  });

  it('lets a fast model end in the present', () => {
    const { plan: made } = plan([spec({ duration: 86_400 })], { speed: 60 });
    expect(made.endsAtMs).toBe(NOW + 1_440_000);
    expect(made.modelStartMs).toBe(made.endsAtMs - 86_400_000);
  });

  it('keeps a start that was asked for, and a seed', () => {
    const start_time = '2026-11-14T00:00:00.000Z';
    const { plan: made } = plan([spec()], { start_time, seed: 0 });
    expect([made.modelStartMs, made.seed]).toEqual([Date.parse(start_time), 0]);
  });
});

describe('what is refused', () => {
  it('I15 names each location that is none, by its index', () => {
    const locations = ['51,2', '91,0', 'NaN,0', 'Nowhereville-on-Sea', '51,181', 'Paris'];
    const refused = plan([spec(), spec({ locations })]).problems.map(({ loc }) => loc.join('.'));
    expect(refused).toEqual([1, 2, 3, 4].map((index) => `body.emulators.1.locations.${index}`));
    expect(problemsOf([spec({ locations: [] })])).toEqual([
      [['body', 'emulators', 0, 'locations'], 'Value error, at least one location is needed'],
    ]);
    expect(problemsOf([])).toHaveLength(1);
  });

  it('I15 takes a thousand places', () => {
    const locations = Array.from({ length: 1000 }, (_, n) => `${n / 20},${n / 10}`);
    expect(plan([spec({ locations, num_access_points: 1000 })]).problems).toEqual([]);
  });

  it('I16 says once where a sum passes a limit', () => {
    const thousand = spec({ num_access_points: 1000, num_devices: 1 });
    const loc = (index: number) => [
      [['body', 'emulators', index, 'num_access_points'], expect.stringContaining('at most')],
    ];
    expect(problemsOf(Array(50).fill(thousand), {}, { maxAccessPointsPerCaller: 1e9 })).toEqual(loc(2));
    expect(problemsOf(Array(2).fill(thousand))).toEqual(loc(1));
    expect(problemsOf([spec()], {}, { maxAccessPointsPerCaller: 0 })).toEqual(loc(0));
    expect(problemsOf([spec({ num_devices: 1e12 })])).toEqual([
      [['body', 'emulators', 0, 'num_devices'], expect.stringContaining('200000 devices')],
    ]);
    expect(problemsOf([spec({ duration: 1e12 })])[0]).toEqual([
      ['body', 'emulators', 0, 'duration'],
      expect.stringContaining('604800'),
    ]);
  });

  it('lets no model run ahead of the clock, or begin where nothing is kept', () => {
    const at = (start_time: string, speed = 1) =>
      plan([spec({ duration: 3600 })], { start_time, speed }).problems.map(({ loc }) => loc.join('.'));
    expect(at('2026-11-15T12:00:30.000Z')).toEqual([]);
    expect(at('2026-11-15T13:00:00.000Z')).toEqual(['body.start_time']);
    expect(at('2026-11-15T11:30:00.000Z', 60)).toEqual(['body.start_time']);
    expect(at('2026-10-01T00:00:00.000Z')).toEqual(['body.start_time']);
  });

  it('lets no fault hit an access point that is not there', () => {
    const fault = { kind: 'crash' as const, seconds: 5 };
    const faults = [
      { access_point: 4, ...fault },
      { access_point: 5, ...fault },
    ];
    expect(problemsOf([spec()], { faults })).toEqual([
      [['body', 'faults', 1, 'access_point'], 'Value error, there are only 4 access points'],
    ]);
  });
});

describe('demand', () => {
  it('is 0.8 Mb/s a device with the mix of the model, unless the entry says otherwise; shares sum to one', () => {
    const usual = demandOf(spec());
    expect(usual).toMatchObject({ mbps_per_device: 0.8, mix: { voice: 0.1, web: 0.35 } });
    expect(Object.values(usual.mix).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
    expect(demandOf(spec({ mbps_per_device: 0, mix: { video: 3, web: 1, bulk: 0 } }))).toEqual({
      mbps_per_device: 0,
      mix: { video: 0.75, web: 0.25 },
    });
  });

  it('is told where it is wrong', () => {
    const classes = 'traffic classes are voice, video, gaming, web, bulk, sensor';
    const none = 'at least one share must be above 0, and all must have a sum';
    const at = (...loc: (string | number)[]) => ['body', 'emulators', ...loc];
    expect(problemsOf([spec(), spec({ mix: { fax: 1, video: 1 } })])).toEqual([
      [at(1, 'mix', 'fax'), `Value error, ${classes}`],
    ]);
    expect(problemsOf([spec({ mix: {} })])).toEqual([[at(0, 'mix'), `Value error, ${none}`]]);
    expect(problemsOf([spec({ mix: { web: 0 } })])).toEqual([[at(0, 'mix'), `Value error, ${none}`]]);
    expect(problemsOf([spec({ mix: { web: 1e308, video: 1e308 } })])).toEqual([[at(0, 'mix'), `Value error, ${none}`]]);
    expect(problemsOf([spec({ mix: { web: 2 } })])).toEqual([]);
  });

  it('has the classes that the document names', () => {
    const { documented } = EmulatorMix as unknown as { documented: { propertyNames: { enum: string[] } } };
    expect(documented.propertyNames.enum).toEqual(trafficClasses);
  });
});

it('cells in an office stand 20 m apart', () => {
  const { accessPoints } = plan([spec({ access_point_type: '5G', scenario: 'InH', num_access_points: 2 })]).plan;
  const [first, second] = accessPoints.map(({ location }) => location);
  expect(Math.abs(first!.longitude - second!.longitude) * 69_350).toBeCloseTo(20, 0);
});
