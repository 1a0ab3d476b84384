// All sites, and the tree that their paths make.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { call, type Failure, type Site } from '../api/client.ts';
import { useOperation } from './use-operation.ts';

const limit = 1000;
/** More would be no tree that a person reads. */
const maxSites = 10_000;

export interface SiteNode {
  path: string;
  /** The last step of the path, or what it is called. */
  name: string;
  /** Undefined for a step that is only part of other paths. */
  site: Site | undefined;
  /** Access points in it and below it. */
  total: number;
  children: SiteNode[];
}

/** Undefined until the first answer. */
export function useSites(): { sites: readonly Site[] | undefined; failure: Failure | undefined } {
  const { data, failure } = useOperation('list_sites', { query: { limit } }, { pollMs: 15_000 });
  const [rest, setRest] = useState<readonly Site[]>([]);
  useEffect(() => {
    let isLeft = false;
    const read = async () => {
      const found: Site[] = [];
      for (let cursor = data?.next ?? null; cursor !== null && found.length < maxSites; ) {
        const page = await call('list_sites', { query: { limit, cursor } });
        found.push(...page.items);
        cursor = page.next;
      }
      if (!isLeft) setRest(found);
    };
    // The first page stays; the rest is tried for with the next answer.
    read().catch(() => {});
    return () => {
      isLeft = true;
    };
  }, [data?.next]);
  const sites = useMemo(() => data && [...data.items, ...rest], [data, rest]);
  return { sites, failure };
}

export function siteTree(sites: readonly Site[]): SiteNode[] {
  const nodes = new Map<string, SiteNode>();
  const roots: SiteNode[] = [];
  const nodeOf = (path: string): SiteNode => {
    const known = nodes.get(path);
    if (known) return known;
    const cut = path.lastIndexOf('/');
    const node: SiteNode = { path, name: path.slice(cut + 1), site: undefined, total: 0, children: [] };
    nodes.set(path, node);
    (cut < 0 ? roots : nodeOf(path.slice(0, cut)).children).push(node);
    return node;
  };
  for (const site of sites) {
    const node = nodeOf(site.path);
    node.site = site;
    node.name = site.name;
    for (let path = site.path; path !== ''; path = path.slice(0, Math.max(0, path.lastIndexOf('/')))) {
      nodeOf(path).total += site.access_points;
    }
  }
  const { compare } = new Intl.Collator('en', { numeric: true });
  const sort = (list: SiteNode[]) => {
    list.sort((a, b) => compare(a.path, b.path));
    for (const { children } of list) sort(children);
  };
  sort(roots);
  return roots;
}
