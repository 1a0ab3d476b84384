// Layers as they are in force, for callers.

import type { ConfigLayer, ConfigLayerPage, ConfigLayerVersionPage } from '@weft/contract/operations';
import type { Caller } from '../../../core/base/caller.ts';
import { notFound } from '../../../core/base/errors.ts';
import { type PageQuery, readNameCursor, toNameCursor } from '../../../core/base/lists/list-cursor.ts';
import { inSlices } from '../../../core/base/time-slices.ts';
import type { Network } from '../../../core/network/network.ts';
import { visibleLayers } from '../config-rights.ts';
import type { LayersInForce } from '../layers-in-force.ts';
import type { Layer } from '../model/layer.ts';
import { LayerStack, noContext } from '../model/render.ts';
import { isManaged } from '../reconciler.ts';
import type { LayerStore } from '../store/layer-store.ts';

/** Above every version: the largest number that the column takes. */
const newestVersion = 2_147_483_647;

export interface ConfigServiceOptions {
  store: LayerStore;
  inForce: LayersInForce;
  network: Network;
}

export class ConfigService {
  readonly #options: ConfigServiceOptions;

  constructor(options: ConfigServiceOptions) {
    this.#options = options;
  }

  /** The heaviest first. */
  async layers(caller: Caller, { cursor, limit }: PageQuery): Promise<ConfigLayerPage> {
    const { inForce, network } = this.#options;
    const { layers } = await inForce.current();
    const sorted = (await visibleLayers(caller, layers, network)).sort(
      (a, b) => b.weight - a.weight || (a.id < b.id ? -1 : 1),
    );
    const after = readNameCursor(cursor, 'layers', () => true);
    const start = after === undefined ? 0 : sorted.findIndex(({ id }) => id === after) + 1;
    const items = await this.#counted(caller, sorted.slice(start, start + limit));
    return { items, next: start + limit < sorted.length ? toNameCursor(items.at(-1)!.id, 'layers') : null };
  }

  /** Throws NotFoundError for one that is not in force or that the caller may not see. */
  async layer(caller: Caller, id: string): Promise<ConfigLayer> {
    const { layers } = await this.#options.inForce.current();
    const found = layers.filter((layer) => layer.id === id);
    const [layer] = await visibleLayers(caller, found, this.#options.network);
    if (!layer) throw notFound('Layer');
    return (await this.#counted(caller, [layer]))[0]!;
  }

  /** Each with how many access points it is about. */
  async #counted(caller: Caller, layers: readonly Layer[]): Promise<ConfigLayer[]> {
    const { network } = this.#options;
    const sight = await network.visibleTo(caller);
    const stack = new LayerStack(layers, noContext);
    const counts = new Map<string, number>();
    await inSlices(network.agents, (agent) => {
      if (!isManaged(agent) || !sight.sees(agent)) return;
      for (const { id } of stack.matching(agent)) counts.set(id, (counts.get(id) ?? 0) + 1);
    });
    return layers.map(({ reach: _, ...layer }) => ({ ...layer, access_points: counts.get(layer.id) ?? 0 }));
  }

  /** Newest first; also of a layer that has ended. Each is seen by whom it was about. */
  async versions(caller: Caller, id: string, { cursor, limit }: PageQuery): Promise<ConfigLayerVersionPage> {
    const before = Number(readNameCursor(cursor, 'versions', (name) => /^[0-9]{1,9}$/.test(name)) ?? newestVersion);
    const found = await this.#options.store.versions(id, before, limit);
    const visible = await visibleLayers(caller, found, this.#options.network);
    if (visible.length === 0 && (found.length === 0 || before === newestVersion)) throw notFound('Layer');
    const items = visible.map(({ layer_id, created_at, reach: _, owner_kind: __, owner_id: ___, ...version }) => ({
      ...version,
      id: layer_id,
      created_at: new Date(created_at).toISOString(),
    }));
    return { items, next: found.length === limit ? toNameCursor(String(found.at(-1)!.version), 'versions') : null };
  }
}
