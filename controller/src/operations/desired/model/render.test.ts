// Rendering is a pure function of layers, labels and variables.

import { readDeclaredSettings } from '@weft/contract/declared-settings';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Layer, RenderedAgent } from './layer.ts';
import { LayerStack, type RenderContext } from './render.ts';
import { canonicalJson, fromLeaves, leavesOf, requireSettings, type Settings } from './settings.ts';

const hall: RenderedAgent = { ap_id: 'ap-hall-7', site: 'uk/bristol/hall', tags: ['canary'] };
const context: RenderContext = {
  variable: ({ site }, name) =>
    name === 'room' && site !== null ? site.split('/').at(-1) : name === 'n' ? 7 : undefined,
  secret: (_, name) => (name === 'guest-psk' ? { secret: name, version: 3 } : undefined),
  placeOf: ({ site }) => site ?? '',
};

let next = 0;
function layer(settings: Settings, more: Partial<Layer> = {}): Layer {
  const id = `l${++next}`;
  return { id, name: id, selector: '', weight: 10, optional: false, version: 1, settings, ...more };
}

const declared = readDeclaredSettings({
  settings: {
    channel: { type: 'integer', enum: [36, 40, 100], parameter: 'channel', restart: 'radio' },
    tx_power_dbm: { type: 'number', minimum: 0, maximum: 20, parameter: 'tx_power' },
    ssid: { type: 'string' },
    networks: { type: 'array' },
  },
});
const rendered = (...layers: Layer[]) => new LayerStack(layers, context).render(hall, declared);

describe('the heavier layer wins', () => {
  test('leaf by leaf, and null takes away', () => {
    const light = layer({ channel: 36, tx_power_dbm: 10, ssid: 'guest' }, { weight: 1 });
    const heavy = layer({ channel: 100, ssid: null }, { weight: 2, version: 4 });
    const { settings, sources, problems } = rendered(light, heavy);
    expect(settings).toEqual({ channel: 100, tx_power_dbm: 10 });
    expect(sources.channel).toEqual({ layer: heavy.id, name: heavy.name, version: 4 });
    expect(problems).toEqual([]);
  });

  test('of equal weights none does', () => {
    const [a, b] = [layer({ channel: 36, ssid: 'x' }), layer({ channel: 40, ssid: 'x' })];
    expect(rendered(a, b).problems).toMatchObject([{ leaf: 'channel', code: 'layers_disagree' }]);
    expect(rendered(a, b, layer({ channel: 100 }, { weight: 99 })).problems).toEqual([]);
    expect(rendered(layer({ ssid: 'x' }), layer({ ssid: null })).problems).toMatchObject([{ leaf: 'ssid' }]);
  });

  test('only layers that match count, by labels alone', () => {
    const other = layer({ channel: 40 }, { selector: 'site:de/**' });
    const own = layer({ channel: 36 }, { selector: 'site:uk/** tag:canary name:ap-hall-*' });
    expect(rendered(other, own).settings).toEqual({ channel: 36 });
  });
});

test('variables keep their type alone, and are text within text', () => {
  const { settings } = rendered(
    layer({ ssid: 'guest ${room} ${n}', tx_power_dbm: '${n}', networks: [{ vlan: '${n}' }] }),
  );
  expect(settings).toEqual({ ssid: 'guest hall 7', tx_power_dbm: 7, networks: [{ vlan: 7 }] });
});

test('secrets are rendered by name and version', () => {
  const { text } = rendered(layer({ networks: [{ ssid: 'guest', passphrase: { secret: 'guest-psk' } }] }));
  expect(text).toBe('{"networks":[{"passphrase":{"secret":"guest-psk","version":3},"ssid":"guest"}]}');
});

test.each<[string, Settings, Partial<Layer>, object[]]>([
  ['a variable that is missing', { ssid: '${floor}' }, {}, [{ leaf: 'ssid', code: 'missing_variable' }]],
  ['a secret that does not exist', { ssid: { secret: 'x' } }, {}, [{ leaf: 'ssid', code: 'unknown_secret' }]],
  ['what is not declared', { colour: 1 }, {}, [{ leaf: 'colour', code: 'not_declared' }]],
  ['what is not declared, if that is optional', { colour: 1 }, { optional: true }, []],
  ['what is above the bounds', { tx_power_dbm: 21 }, {}, [{ leaf: 'tx_power_dbm', code: 'not_allowed' }]],
  ['another type', { networks: 'guest' }, {}, [{ leaf: 'networks', code: 'not_allowed' }]],
  ['too much', { ssid: 'x'.repeat(70_000) }, {}, [{ code: 'too_large' }]],
])('%s is refused, with the leaf and the layer', (_, settings, more, problems) => {
  const found = rendered(layer(settings, more)).problems;
  expect(found).toHaveLength(problems.length);
  expect(found).toMatchObject(problems);
});

describe('names that every object knows', () => {
  const names = fc.constantFrom('constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'a');
  const scalar = fc.oneof(fc.integer(), fc.constant('x'), fc.constant([1]));
  const nested = fc.dictionary(names, fc.oneof(scalar, fc.dictionary(names, scalar, { minKeys: 1 })), { minKeys: 1 });

  test('are settings like others: the same bytes, and where each comes from', () => {
    fc.assert(
      fc.property(nested, (settings) => {
        const { text, sources, problems } = new LayerStack([layer(settings)], context).render(hall, undefined);
        expect([text, problems]).toEqual([canonicalJson(settings), []]);
        expect(Object.keys(sources).sort()).toEqual([...leavesOf(settings).keys()].sort());
        expect(canonicalJson(fromLeaves(leavesOf(settings)))).toBe(text);
      }),
    );
  });

  test.each([
    ['{"__proto__":{"zzz":"polluted"}}', '__proto__'],
    ['{"__proto__":{}}', '__proto__'],
    ['{"a":{"__proto__":{"config":"roll_out"}}}', 'a.__proto__'],
    ['{"a":{"b":{"__proto__":1}}}', 'a.b.__proto__'],
    ['{"a":1,"__proto__":[1]}', '__proto__'],
    ['{"a.__proto__.zzz":1}', 'a.__proto__.zzz'],
  ])('but not the one that is no name: %s is no layer, and of a stored one nothing is given', (json, leaf) => {
    const settings = JSON.parse(json) as Settings;
    const refused = () => requireSettings(settings, ['body', 'settings']);
    expect(refused).toThrow(
      expect.objectContaining({
        problems: expect.arrayContaining([expect.objectContaining({ loc: ['body', 'settings', ...leaf.split('.')] })]),
      }),
    );
    const old = layer(settings);
    const { text, problems } = new LayerStack([layer({ b: 1 }), old], context).render(hall, undefined);
    expect([text, problems]).toEqual(['{"b":1}', [expect.objectContaining({ leaf, layer: old.id })]]);
    expect(({} as { zzz?: unknown; config?: unknown }).zzz).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe('no settings beside each other read as a secret that nobody has named', () => {
  const forged = readDeclaredSettings({ settings: { 'x.secret': {}, 'x.version': {}, secret: {}, version: {} } });
  const isRefused = (leaf: string, ...layers: Layer[]) =>
    expect(new LayerStack(layers, context).render(hall, forged).problems).toMatchObject([
      { leaf, code: 'not_allowed' },
    ]);

  test('by a setting that is left out where it is not declared', () =>
    isRefused('x.secret', layer({ x: { secret: 'guest-psk', version: 3, other: 1 } }, { optional: true })));

  test('by a layer that takes a setting of another one away', () =>
    isRefused(
      'x.secret',
      layer({ x: { secret: 'guest-psk', version: 3, other: 1 } }),
      layer({ x: { other: null } }, { weight: 11 }),
    ));

  test('by a variable, and at the top', () => {
    isRefused('x.secret', layer({ x: { secret: '${room}', version: 3, other: 1 } }, { optional: true }));
    isRefused('secret', layer({ secret: 'guest-psk', version: 3 }));
  });

  test('one that is named stays one', () =>
    expect(rendered(layer({ networks: [{ passphrase: { secret: 'guest-psk' } }] })).settings).toEqual({
      networks: [{ passphrase: { secret: 'guest-psk', version: 3 } }],
    }));
});

describe('laws', () => {
  const value = fc.oneof(
    fc.constantFrom(null, 1, 2, 'a', '${room}', true),
    fc.constant([1, 2]),
    fc.constant({ secret: 'guest-psk' }),
  );
  const name = fc.constantFrom('a', 'b', 'c');
  const settings = fc.dictionary(name, fc.oneof(value, fc.dictionary(name, value, { minKeys: 1 })), { minKeys: 1 });
  const layers = fc
    .array(
      fc.record({
        settings,
        weight: fc.integer({ min: 0, max: 3 }),
        selector: fc.constantFrom('', 'tag:canary', 'tag:lab', 'site:uk/**'),
      }),
      { maxLength: 6 },
    )
    .map((list) => list.map((each, index) => layer(each.settings, { ...each, id: `id-${index}` })));
  const ofAny = (list: readonly Layer[]) => new LayerStack(list, context).render(hall, undefined);

  test('the order in which layers were made does not matter, and twice gives the same bytes', () => {
    fc.assert(
      fc.property(layers, fc.infiniteStream(fc.nat()), (list, numbers) => {
        const shuffled = list.map((each) => ({ each, at: numbers.next().value })).sort((a, b) => a.at - b.at);
        expect(ofAny(shuffled.map(({ each }) => each))).toEqual(ofAny(list));
      }),
    );
  });

  test('what one access point gets does not depend on those that were asked about before', () => {
    const declared = new Map(['a', 'b', 'c'].map((leaf) => [leaf, { parameter: leaf, restart: 'none' as const }]));
    const agents = [hall, { ...hall, tags: ['lab'] }, { ...hall, ap_id: 'other', site: null }, hall];
    fc.assert(
      fc.property(layers, (list) => {
        const shared = new LayerStack(list, context);
        for (const agent of agents)
          expect(shared.render(agent, declared)).toEqual(new LayerStack(list, context).render(agent, declared));
      }),
    );
  });

  test('without layers of equal weight it is the merge patches of RFC 7396, the lightest first', () => {
    fc.assert(
      fc.property(layers, (list) => {
        const distinct = list.map((each, index) => ({ ...each, weight: index }));
        const matching = new LayerStack(distinct, context).matching(hall).reverse();
        const merged = matching.reduce<Settings>((target, each) => mergePatch(target, each.settings) as Settings, {});
        const { text, problems } = ofAny(distinct);
        expect(problems).toEqual([]);
        expect(text).toBe(canonicalJson(resolved(fromLeaves(leavesOf(merged)))));
      }),
    );
  });

  test('an agent that no changed layer matches keeps its hash', () => {
    fc.assert(
      fc.property(layers, settings, (list, changed) => {
        const before = ofAny([...list, layer({ z: 1 }, { selector: 'tag:lab', id: 'x' })]);
        const after = ofAny([...list, layer(changed, { selector: 'tag:lab', id: 'x', weight: 99 })]);
        expect(after.hash).toBe(before.hash);
      }),
    );
  });

  function resolved(value: unknown): unknown {
    return JSON.parse(
      JSON.stringify(value)
        .replaceAll('"${room}"', '"hall"')
        .replaceAll('{"secret":"guest-psk"}', '{"secret":"guest-psk","version":3}'),
    );
  }

  /** Word by word as the RFC has it; a reference to a secret is one value. */
  function mergePatch(target: unknown, patch: unknown): unknown {
    const isPlain = (each: unknown): each is Settings =>
      typeof each === 'object' && each !== null && !Array.isArray(each) && !('secret' in each);
    if (!isPlain(patch)) return patch;
    const result: Settings = isPlain(target) ? { ...target } : {};
    for (const [key, each] of Object.entries(patch)) {
      if (each === null) delete result[key];
      else result[key] = mergePatch(result[key], each);
    }
    return result;
  }
});
