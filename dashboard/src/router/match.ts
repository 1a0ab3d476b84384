// Which page an address means. Pure, so that the build can list the pages for the server.

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
