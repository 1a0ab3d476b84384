// What an access point shall be: the layers that match it, the heavier over the lighter, with its variables. A pure function, and
// the same whatever the order in which layers were made.
import type { DeclaredSetting } from '@weft/contract/declared-settings';
import { matchesSelector, parseSelector, type Selector } from '@weft/contract/selector';
import { checkArgument } from '../../../core/commands/grammar/require-declared.ts';
import type { Layer, Managed, RenderedAgent, VariableValue } from './layer.ts';
import {
  canonicalJson,
  fromLeaves,
  hashOf,
  isLeafOf,
  isSecretReference,
  leavesOf,
  maxSettingsBytes,
  replaced,
  type SecretReference,
  type Settings,
  unusableLeaf,
} from './settings.ts';

export interface RenderContext {
  /** Of the agent, its site, or the sites above. */
  variable: (agent: RenderedAgent, name: string) => VariableValue | undefined;
  /** The nearest of this name that is shared or that all of these may name, as it is rendered. */
  secret: (agent: RenderedAgent, name: string, managed: Managed) => SecretReference | undefined;
  /** Agents of one place get the same secrets; undefined: this one has some of its own. */
  placeOf: (agent: RenderedAgent) => string | undefined;
}

export interface LeafSource {
  layer: string;
  name: string;
  version: number;
}

export type RefusalCode =
  | 'layers_disagree'
  | 'missing_variable'
  | 'unknown_secret'
  | 'not_declared'
  | 'not_allowed'
  | 'too_large';

export interface RenderProblem {
  leaf: string;
  layer: string;
  code: RefusalCode;
  detail: string;
}

export interface Rendered {
  settings: Settings;
  /** Canonical JSON, secrets by name and version. */
  text: string;
  hash: string;
  sources: Record<string, LeafSource>;
  problems: RenderProblem[];
}

interface CompiledLayer extends Layer {
  test: Selector;
  /** None, if one of them is unusable. */
  leaves: Map<string, unknown>;
  unusable: string | undefined;
  /** Its settings are the same for every agent. */
  isConstant: boolean;
  namesSecrets: boolean;
  reaches: ReadonlyMap<string, Managed>;
  /** Leaves without variables and secrets. */
  plain: ReadonlySet<string>;
}

interface Taken {
  value: unknown;
  layer: CompiledLayer;
}

const variablePattern = /\$\{([A-Za-z_][A-Za-z0-9_.-]{0,63})\}/g;
const wholePattern = new RegExp(`^${variablePattern.source}$`);
/** Of one stack: how many different results are remembered. */
const maxKnown = 2_000;

/** For whoever only asks whom layers are about. */
export const noContext: RenderContext = {
  variable: () => undefined,
  secret: () => undefined,
  placeOf: () => '',
};

/** Layers, ready to be asked about many agents. */
export class LayerStack {
  /** The heaviest first. */
  readonly #layers: CompiledLayer[];
  readonly #context: RenderContext;
  /** Every path that a leaf lies below. */
  readonly #above = new Set<string>();
  /** By what an agent declares and the layers that match it: most agents are like many others. */
  #known = new WeakMap<ReadonlyMap<string, DeclaredSetting>, Map<string, Rendered>>();
  #knownCount = 0;
  readonly #problems = new WeakMap<DeclaredSetting, Map<unknown, string | undefined>>();

  constructor(layers: readonly Layer[], context: RenderContext) {
    this.#layers = layers.map((layer) => compile(layer)).sort((a, b) => b.weight - a.weight || (a.id < b.id ? -1 : 1));
    this.#context = context;
    for (const { leaves } of this.#layers) {
      for (const leaf of leaves.keys())
        for (let end = leaf.lastIndexOf('.'); end > 0; end = leaf.lastIndexOf('.', end - 1))
          this.#above.add(leaf.slice(0, end));
    }
  }

  matching(agent: RenderedAgent): Layer[] {
    // Names for people and types are not asked about: an access point, or whoever renames it, must not choose its layers.
    const asked = { ...agent, display_name: null, access_point_type: null };
    return this.#layers.filter(({ test }) => matchesSelector(test, asked));
  }

  /**
   * `declared`: what the agent can be set to; undefined: not known, nothing is refused for it. The result may be that of others
   * too, and is not to be changed.
   */
  render(agent: RenderedAgent, declared: ReadonlyMap<string, DeclaredSetting> | undefined): Rendered {
    const layers = this.matching(agent) as CompiledLayer[];
    const place = layers.some(({ namesSecrets }) => namesSecrets) ? this.#context.placeOf(agent) : '';
    if (!declared || place === undefined || !layers.every(({ isConstant }) => isConstant))
      return this.#render(agent, layers, declared);
    const known = this.#known.get(declared) ?? new Map<string, Rendered>();
    const key = [place, ...layers.map(({ id }) => id)].join(' ');
    const found = known.get(key) ?? this.#render(agent, layers, declared);
    if (!known.has(key) && this.#knownCount++ < maxKnown) this.#known.set(declared, known.set(key, found));
    return found;
  }

  #render(
    agent: RenderedAgent,
    layers: readonly CompiledLayer[],
    declared: ReadonlyMap<string, DeclaredSetting> | undefined,
  ): Rendered {
    const problems: RenderProblem[] = [];
    const taken = new Map<string, Taken>();
    // What a heavier layer has replaced by an object still stands over what is lighter.
    const covered = new Map<string, Taken>();
    for (const layer of layers) {
      const { unusable, id } = layer;
      if (unusable !== undefined)
        problems.push({ leaf: unusable, layer: id, code: 'not_allowed', detail: leftOut(layer) });
      for (const [leaf, value] of layer.leaves) {
        const isAbove = this.#above.has(leaf);
        const over = atOrAbove(taken, leaf) ?? atOrAbove(covered, leaf) ?? (isAbove ? below(taken, leaf) : undefined);
        if (over === undefined) taken.set(leaf, { value, layer });
        else covered.set(leaf, { value, layer });
        if (over && over.layer.weight === layer.weight && over.layer !== layer && !isSame(over, leaf, value)) {
          const detail = `${over.layer.name} and ${layer.name} have the weight ${layer.weight} and set it differently`;
          problems.push({ leaf, layer: layer.id, code: 'layers_disagree', detail });
        }
      }
    }
    const leaves: [string, unknown][] = [];
    const sources: Record<string, LeafSource> = Object.create(null);
    for (const [leaf, { value, layer }] of taken) {
      if (value === null) continue;
      const setting = declared?.get(leaf);
      const refuse = (code: RefusalCode, detail: string) => problems.push({ leaf, layer: layer.id, code, detail });
      if (declared && !setting) {
        if (!layer.optional) refuse('not_declared', 'the access point does not say that it can be set to this');
        continue;
      }
      const isPlain = layer.plain.has(leaf);
      const result = isPlain ? value : this.#resolve(agent, value, layer.reaches.get(leaf) ?? [], refuse);
      if (setting && result !== undefined) {
        const wrong = isPlain ? this.#problemOf(setting, result) : findProblem(setting, result);
        if (wrong !== undefined) refuse('not_allowed', wrong);
      }
      leaves.push([leaf, result]);
      sources[leaf] = { layer: layer.id, name: layer.name, version: layer.version };
    }
    const settings = fromLeaves(leaves);
    for (const [leaf] of leaves) {
      if (!leaf.endsWith('secret') || isLeafOf(settings, leaf)) continue;
      const detail = 'with nothing but this beside it, it would read as the name of a secret';
      problems.push({ leaf, layer: sources[leaf]!.layer, code: 'not_allowed', detail });
    }
    const text = canonicalJson(settings);
    if (Buffer.byteLength(text) > maxSettingsBytes) {
      const detail = `settings of one access point have at most ${maxSettingsBytes} bytes`;
      problems.push({ leaf: '', layer: '', code: 'too_large', detail });
    }
    problems.sort((a, b) => (a.leaf < b.leaf ? -1 : a.leaf > b.leaf ? 1 : a.layer < b.layer ? -1 : 1));
    return { settings, text, hash: hashOf(text), sources, problems };
  }

  /** Found once for each value of a layer. */
  #problemOf(setting: DeclaredSetting, value: unknown): string | undefined {
    const known = this.#problems.get(setting) ?? new Map<unknown, string | undefined>();
    if (!known.has(value)) this.#problems.set(setting, known.set(value, findProblem(setting, value)));
    return known.get(value);
  }

  /** With variables and the versions of secrets; undefined where one is missing. */
  #resolve(
    agent: RenderedAgent,
    value: unknown,
    managed: Managed,
    refuse: (code: RefusalCode, detail: string) => void,
  ): unknown {
    let isWhole = true;
    const miss = (code: RefusalCode, detail: string) => {
      isWhole = false;
      refuse(code, detail);
      return null;
    };
    const result = replaced(value, (part) => {
      if (isSecretReference(part)) {
        const detail = `it has no secret ${part.secret} that this layer may name`;
        return this.#context.secret(agent, part.secret, managed) ?? miss('unknown_secret', detail);
      }
      const variableOf = (name: string) =>
        this.#context.variable(agent, name) ??
        miss('missing_variable', `neither the access point nor a site above it has the variable ${name}`);
      if (!part.includes('${')) return part;
      const whole = wholePattern.exec(part);
      if (whole) return variableOf(whole[1]!);
      return part.replace(variablePattern, (_, name: string) => String(variableOf(name)));
    });
    return isWhole ? result : undefined;
  }
}

/** Those with a leaf that older versions took and this one does not. */
export function unusableOf(layers: readonly Layer[]): Layer[] {
  return layers.filter(({ settings }) => unusableLeaf(leavesOf(settings).keys()) !== undefined);
}

/** In words, of one of them. */
export function leftOut({ name, version }: Pick<Layer, 'name' | 'version'>): string {
  return `no setting may be called so: version ${version} of the layer ${name} is left out until it is removed or replaced`;
}

function compile(layer: Layer): CompiledLayer {
  const all = leavesOf(layer.settings);
  const unusable = unusableLeaf(all.keys());
  const leaves = unusable === undefined ? all : new Map<string, unknown>();
  const isPlain = (value: unknown) => !/\$\{|"secret"/.test(JSON.stringify(value));
  return {
    ...layer,
    test: parseSelector(layer.selector),
    leaves,
    unusable,
    isConstant: !JSON.stringify(layer.settings).includes('${'),
    namesSecrets: JSON.stringify(layer.settings).includes('"secret"'),
    reaches: new Map(layer.reach),
    plain: new Set([...leaves].flatMap(([leaf, value]) => (isPlain(value) ? [leaf] : []))),
  };
}

function atOrAbove(taken: ReadonlyMap<string, Taken>, leaf: string): Taken | undefined {
  for (let end = leaf.length; end > 0; end = leaf.lastIndexOf('.', end - 1)) {
    const found = taken.get(leaf.slice(0, end));
    if (found) return found;
  }
  return undefined;
}

function below(taken: ReadonlyMap<string, Taken>, leaf: string): Taken | undefined {
  for (const [path, each] of taken) if (path.startsWith(`${leaf}.`)) return each;
  return undefined;
}

function isSame(over: Taken, leaf: string, value: unknown): boolean {
  return over.layer.leaves.has(leaf) && canonicalJson(over.value) === canonicalJson(value);
}

function findProblem(setting: DeclaredSetting, value: unknown): string | undefined {
  if (setting.type === 'array') return Array.isArray(value) ? undefined : 'it should be a list';
  // What a secret holds was checked by nobody; the access point refuses what it cannot take.
  if (isSecretReference(value)) return undefined;
  const { type, ...bounds } = setting;
  const [problem] = checkArgument(type === undefined ? bounds : { ...bounds, type }, value, []);
  return problem?.msg;
}
