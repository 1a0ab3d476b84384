// Says which options a program has forgotten, before a missing setting shows up as an error somewhere inside.

const where = 'url (where Weft is, such as https://weft.example.org)';

type Given = Record<string, unknown>;

/** Throws TypeError. */
export function requireAppOptions(options: object): void {
  const given: Given = { ...options };
  requireAddress('App', given.url);
  requireAll('App', [...(isText(given.url) ? [] : [where]), ...missingIdentity(given)]);
}

/** Throws TypeError. */
export function requireAgentOptions(options: object): void {
  const given: Given = { ...options };
  requireAddress('Agent', given.url);
  requireAll('Agent', [...(isText(given.url) ? [] : [where]), ...missingTexts(given, ['ap_id', 'password'])]);
}

/** Throws TypeError for an address that no request could be sent to. An empty one is that of the page. */
function requireAddress(what: string, url: unknown): void {
  if (isText(url) && url !== '' && !/^https?:\/\/[^/]/i.test(url as string)) {
    throw new TypeError(`${what}: url should begin with http:// or https://`);
  }
}

function missingIdentity(given: Given): string[] {
  if ('token' in given) return isText(given.token) || typeof given.token === 'function' ? [] : ['token'];
  if ('name' in given || 'key' in given) return missingTexts(given, ['name', 'key']);
  if ('username' in given || 'password' in given) return missingTexts(given, ['username', 'password']);
  return ['name and key of an app, username and password, or token'];
}

function missingTexts(given: Given, names: readonly string[]): string[] {
  return names.filter((name) => !isText(given[name]));
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function requireAll(what: string, missing: readonly string[]): void {
  if (missing.length > 0) throw new TypeError(`${what} needs these options: ${missing.join('; ')}`);
}
