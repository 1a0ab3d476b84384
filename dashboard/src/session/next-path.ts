// Where to go after signing in: a path of this dashboard, never another place, whatever the address says.

export function safeNextPath(wish: string | null | undefined, isOurs: (path: string) => boolean): string {
  if (!wish || !/^\/(?![/\\])/.test(wish)) return '/';
  try {
    const base = 'http://weft.invalid';
    const { origin, pathname, search, hash } = new URL(wish, base);
    return origin === base && isOurs(pathname) ? pathname + search + hash : '/';
  } catch {
    return '/';
  }
}
