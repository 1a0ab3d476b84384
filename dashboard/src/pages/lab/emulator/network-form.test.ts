// From the form to the request, and back to the fields with what is wrong.
import { describe, expect, it } from 'vitest';
import { curlOf, fieldAt, initialNetwork, networkSentence, toRequest } from './network-form.ts';

const values = (more: Record<string, string> = {}) => ({ ...initialNetwork, ...more });

describe('a request', () => {
  it('has an entry for each technology of which there is any', () => {
    const { emulators, ...rest } = toRequest(values({ 'WiFi.num_access_points': '0', '5G.scenario': 'UMa' }), []);
    const shared = { num_access_points: 4, locations: ['Bristol'], num_devices: 10, duration: 3600, profile: 'always' };
    expect(emulators).toEqual([
      { access_point_type: '5G', ...shared, scenario: 'UMa' },
      { access_point_type: 'LiFi', ...shared },
    ]);
    expect(rest).toEqual({});
    expect(toRequest(values({ sites: 'on' }), []).sites).toBe(true);
  });

  it('says only what was typed, and leaves to the server what is no number', () => {
    const request = toRequest(
      values({
        seed: '7',
        speed: '60',
        'LiFi.num_devices': 'many',
        duration: '90',
        duration_unit: '60',
        ...{
          places: 'Bristol\n51.4,-2.5\n',
          'faults.3.access_point': '2',
          'faults.3.kind': 'crash',
          'faults.3.seconds': '60',
        },
      }),
      [3],
    );
    expect(request).toMatchObject({ seed: 7, speed: 60, faults: [{ access_point: 2, kind: 'crash', seconds: 60 }] });
    expect(request.emulators[2]).toMatchObject({
      num_devices: 'many',
      duration: 5400,
      locations: ['Bristol', '51.4,-2.5'],
    });
    expect(request.faults![0]).not.toHaveProperty('amount');
  });
});

describe('demand', () => {
  it('is said for every technology, and only what was typed of it', () => {
    const { emulators } = toRequest(values({ mbps_per_device: '2.5', 'mix.video': '3', 'mix.web': 'some' }), []);
    expect(emulators).toHaveLength(3);
    for (const entry of emulators)
      expect(entry).toMatchObject({ mbps_per_device: 2.5, mix: { video: 3, web: 'some' } });
    expect(toRequest(values(), []).emulators[0]).not.toHaveProperty('mix');
  });

  it('gets its problems at its fields', () => {
    expect(fieldAt('emulators.2.mbps_per_device', values(), [])).toEqual({ field: 'mbps_per_device' });
    expect(fieldAt('emulators.0.mix.web', values(), [])).toEqual({ field: 'mix.web' });
    expect(fieldAt('emulators.0.mix', values(), [])).toEqual({ field: 'mix.voice' });
  });
});

describe('links', () => {
  const policy = (more: Record<string, string>) => toRequest(values(more), []).emulators[1]!.link_policy;

  it('are one by default; a policy has what its mode uses and what was typed', () => {
    expect(toRequest(values({ 'link_policy.share': '0.5' }), []).emulators[0]).not.toHaveProperty('link_policy');
    const typed = { 'link_policy.primary': 'WiFi', 'link_policy.share': '0.5', 'link_policy.weights.5G': '3' };
    expect(policy({ 'link_policy.mode': 'priority', ...typed })).toEqual({
      mode: 'priority',
      primary: 'WiFi',
      share: 0.5,
    });
    expect(policy({ 'link_policy.mode': 'load_balancing', ...typed, 'link_policy.share': 'half' })).toEqual({
      mode: 'load_balancing',
      weights: { '5G': 3 },
      share: 'half',
    });
    expect(policy({ 'link_policy.mode': 'redundant' })).toEqual({ mode: 'redundant' });
  });

  it('get their problems at their fields', () => {
    const at = (path: string) => fieldAt(`emulators.0.link_policy${path}`, values(), [])?.field;
    expect(['.share', '.primary', '.weights.LiFi', '.weights', ''].map(at)).toEqual([
      'link_policy.share',
      'link_policy.primary',
      'link_policy.weights.LiFi',
      'link_policy.weights.5G',
      'link_policy.mode',
    ]);
  });
});

describe('a problem', () => {
  const typed = values({ '5G.num_access_points': '', places: 'Bristol\nBrstol' });

  it('belongs to the field it was typed in, whichever place it has in the request', () => {
    expect(fieldAt('emulators.0.num_devices', typed, [])).toEqual({ field: 'WiFi.num_devices' });
    expect(fieldAt('emulators.1.locations.1', typed, [])).toEqual({ field: 'places', prefix: '“Brstol”' });
    expect(fieldAt('emulators.1.duration', typed, [])).toEqual({ field: 'duration' });
    expect(fieldAt('faults.1.amount', typed, [4, 9])).toEqual({ field: 'faults.9.amount' });
    expect(fieldAt('emulators', values(), [])).toEqual({ field: 'duration' });
    expect(fieldAt('seed', typed, [])).toBeUndefined();
  });
});

describe('in words', () => {
  it('it is told what will happen', () => {
    expect(networkSentence(toRequest(values(), []))?.replaceAll(/[\u00a0\u2009]/g, ' ')).toBe(
      '12 access points in Bristol with 120 devices for 1 h, in real time.',
    );
    const fast = toRequest(values({ speed: '60', places: 'Bristol\nBath\n51.4,-2.5' }), []);
    expect(networkSentence(fast)?.replaceAll(/[\u00a0\u2009]/g, ' ')).toBe(
      '12 access points in Bristol, Bath and a point on the map with 120 devices for 1 h, 60 times faster than real time: it takes 1 min.',
    );
  });

  it('nothing is told of what cannot be understood', () => {
    expect(networkSentence(toRequest(values({ duration: 'long' }), []))).toBeUndefined();
    expect(networkSentence(toRequest(values({ places: '' }), []))).toBeUndefined();
  });
});

it('the shell gets the same request, with quotes that survive', () => {
  const request = toRequest(values({ places: "L'Aquila" }), []);
  const line = curlOf('http://weft.test', request);
  expect(line).toContain("L'\\''Aquila");
  expect(JSON.parse(/-d '(.*)'$/s.exec(line)![1]!.replaceAll("'\\''", "'"))).toEqual(request);
});
