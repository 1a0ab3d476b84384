// Planned work at a site, and who may do what there. Pure.
import { matchesSelector, parseSelector, SelectorError } from '@weft/contract/selector';
import type { Grant } from '../../../api/client.ts';

/** Of the site and all below it. */
export function selectorOfSite(path: string): string {
  return `site:${path}/**`;
}

/** The next Sunday from two to five, in the time zone of this browser; once it has begun, the one after. */
export function nextMaintenance(nowMs: number): { from: Date; until: Date } {
  const from = new Date(nowMs);
  from.setHours(2, 0, 0, 0);
  from.setDate(from.getDate() + ((7 - from.getDay()) % 7));
  if (from.getTime() <= nowMs) from.setDate(from.getDate() + 7);
  const until = new Date(from);
  until.setHours(5);
  return { from, until };
}

/** Whether the grant is about access points of this site; of a selector by names that is not known here. */
export function concernsSite({ selector = '' }: Grant, path: string): boolean {
  if (selector === '') return true;
  try {
    const anybody = { ap_id: '', display_name: null, site: path, tags: [], access_point_type: null };
    return matchesSelector(parseSelector(selector), anybody);
  } catch (error) {
    if (error instanceof SelectorError) return false;
    throw error;
  }
}

export interface Person {
  username: string;
  roles: string[];
}

/** Who was granted something there; those who may change most come first. */
export function peopleOf(granted: readonly { username: string; grants: readonly Grant[] }[], path: string): Person[] {
  const rank = ['manager', 'operator', 'viewer', 'auditor'];
  return granted
    .map(({ username, grants }) => {
      const roles = grants
        .filter((grant) => grant.role !== 'none' && concernsSite(grant, path))
        .map(({ role }) => role);
      return { username, roles: [...new Set<string>(roles)].sort((a, b) => rank.indexOf(a) - rank.indexOf(b)) };
    })
    .filter(({ roles }) => roles.length > 0)
    .sort((a, b) => rank.indexOf(a.roles[0]!) - rank.indexOf(b.roles[0]!) || a.username.localeCompare(b.username));
}
