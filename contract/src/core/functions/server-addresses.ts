// A URL that names several servers which stand in for each other: scheme://login@first:1,second:2/path?query.

/** One URL for each server, in their order. What is no URL is returned as it is. */
export function serverAddresses(url: string): string[] {
  const [, scheme, authority = '', rest = ''] = /^([a-z]+:\/\/)([^/?#]*)(.*)$/is.exec(url) ?? [];
  if (scheme === undefined) return [url];
  const login = authority.slice(0, authority.lastIndexOf('@') + 1);
  const hosts = authority.slice(login.length).split(',');
  return hosts.map((host) => scheme + login + host + rest);
}
