// Kept views of the list of access points. Pure; what a browser has kept is not trusted.

export interface SavedView {
  name: string;
  /** As the address has it, without what says where the list was left. */
  search: string;
}

const parts = ['selector', 'state', 'type', 'q', 'sort', 'columns'];
const maxViews = 50;

export function viewOf(search: string): string {
  const given = new URLSearchParams(search);
  return new URLSearchParams(
    parts.flatMap((name) => (given.get(name) ? [[name, given.get(name)!]] : [])) as [string, string][],
  ).toString();
}

export function readViews(kept: string | null): SavedView[] {
  try {
    const found: unknown = JSON.parse(kept ?? '[]');
    return Array.isArray(found) ? found.filter(isView).slice(0, maxViews) : [];
  } catch {
    return [];
  }
}

/** One of the same name is replaced. */
export function withView(views: readonly SavedView[], view: SavedView): SavedView[] {
  return [...views.filter(({ name }) => name !== view.name), view].slice(-maxViews);
}

function isView(value: unknown): value is SavedView {
  const { name, search } = (value ?? {}) as Record<string, unknown>;
  return typeof name === 'string' && typeof search === 'string';
}
