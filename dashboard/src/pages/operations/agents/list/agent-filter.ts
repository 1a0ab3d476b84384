// The filters of the list of access points as one selector, and in words. Pure.
import { describeSelector, parseSelector } from '@weft/contract/selector';

/** `asleep` is no state of the interface but a power state. */
export function selectorWith(
  selector: string,
  { state, health = '', type }: { state: string; health?: string; type: string },
): string {
  const parts = [
    selector.trim() === '' ? '' : `(${selector.trim()})`,
    state === '' ? '' : state === 'asleep' ? 'power:asleep' : `state:${state}`,
    health === '' ? '' : `health:${health}`,
    type === '' ? '' : `type:${type}`,
  ].filter(Boolean);
  return parts.length === 1 ? parts[0]!.replace(/^\((.*)\)$/s, '$1') : parts.join(' ');
}

/** All filters in words. `selector` can be read. */
export function meaningOf(selector: string, search: string): string {
  const words = describeSelector(parseSelector(selector));
  return search.trim() === '' ? words : `${words}, with “${search.trim()}” in their name, site or tags`;
}
