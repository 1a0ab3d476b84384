// The address bar as a signal, which page it means, and state that lives in it: it can be shared, and survives Back. Links are
// ordinary `<a href>`: clicks on those that lead to pages of ours are taken over here, everything else is left to the browser.
import { signal, useComputed } from '@preact/signals';
import { useCallback } from 'preact/hooks';
import { holdsBack } from './leaving.ts';

export interface Match<Route> {
  route: Route;
  params: Record<string, string>;
}

/** Patterns are paths with `:name` for one segment; the first that fits wins. */
export function matchRoute<Route extends { path: string }>(
  routes: readonly Route[],
  pathname: string,
): Match<Route> | undefined {
  const given = segmentsOf(pathname);
  for (const route of routes) {
    const params = fit(segmentsOf(route.path), given);
    if (params) return { route, params };
  }
  return undefined;
}

function fit(pattern: string[], given: string[]): Record<string, string> | undefined {
  if (pattern.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const value = given[index]!;
    if (!part.startsWith(':')) {
      if (part !== value) return undefined;
    } else {
      const decoded = decode(value);
      if (decoded === undefined || decoded === '') return undefined;
      params[part.slice(1)] = decoded;
    }
  }
  return params;
}

function segmentsOf(path: string): string[] {
  return path.replace(/\/+$/, '').split('/');
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

export interface PageProps {
  /** What stands for the names in the path, decoded. */
  params: Record<string, string>;
  /** What its row in the list of pages calls it. */
  title: string;
}

export interface Place {
  pathname: string;
  search: string;
  hash: string;
}

export const place = signal<Place>({ pathname: '/', search: '', hash: '' });

let isFollowing = false;
let hasMoved = false;
let isOurs: (pathname: string) => boolean = () => false;

/** Begins to follow the address; `routes` are the pages there are. */
export function followAddress(routes: readonly { path: string }[]): void {
  isOurs = (pathname) => matchRoute(routes, pathname) !== undefined;
  read();
  window.addEventListener('popstate', takeStep);
  document.addEventListener('click', takeClick);
}

/** False on the page that the visit began with: there the browser has put the focus. */
export function hasGoneElsewhere(): boolean {
  return hasMoved;
}

export function isPageOfOurs(pathname: string): boolean {
  return isOurs(pathname);
}

/** Goes to a page of ours, once nobody holds it back. `isReplacing` leaves no step for the Back button, and never asks. */
export function navigate(to: string, { isReplacing = false } = {}): void {
  const url = new URL(to, location.href);
  if (url.origin !== location.origin) return;
  if (!isReplacing && holdsBack(url, () => navigate(to))) return;
  if (isReplacing) history.replaceState(history.state, '', url);
  else history.pushState(null, '', url);
  read();
}

/** Changes parameters of the query and nothing else; undefined or an empty text removes one. */
export function setQuery(changes: Record<string, string | undefined>, { isReplacing = true } = {}): void {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  if (url.href !== location.href) navigate(url.href, { isReplacing });
}

function read(): void {
  const { pathname, search, hash } = location;
  hasMoved ||= isFollowing && pathname !== place.peek().pathname;
  isFollowing = true;
  place.value = { pathname, search, hash };
}

/** Back and Forward have moved already: the way back is to put this page on top again. */
function takeStep(): void {
  if (holdsBack(new URL(location.href), () => history.back())) {
    const { pathname, search, hash } = place.peek();
    history.pushState(null, '', pathname + search + hash);
    return;
  }
  read();
}

function takeClick(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element | null)?.closest?.('a[href]');
  if (!(link instanceof HTMLAnchorElement) || link.target !== '' || link.hasAttribute('download')) return;
  if (link.origin !== location.origin || !isOurs(link.pathname)) return;
  // A jump within the page is the browser's.
  if (link.hash !== '' && link.pathname === location.pathname && link.search === location.search) return;
  event.preventDefault();
  navigate(link.href);
}

/** A parameter that is given several times is a list, as one with commas is: links write either. */
export function valueIn(search: string, name: string): string | undefined {
  const given = new URLSearchParams(search).getAll(name);
  return given.length === 0 ? undefined : given.join(',');
}

/** `initial` is what an address without the parameter means; it is not written out. */
export function useQueryState(name: string, initial = ''): [value: string, set: (value: string) => void] {
  const value = useComputed(() => valueIn(place.value.search, name) ?? initial).value;
  const set = useCallback((next: string) => setQuery({ [name]: next === initial ? undefined : next }), [name, initial]);
  return [value, set];
}
