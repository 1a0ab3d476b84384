// What the labels of access points may look like: paths of sites, and tags. Nothing in them needs quoting in a selector.

/** Up to 10 steps of letters, digits, dots, dashes and underscores; each begins with a letter or digit. */
export const sitePathPattern =
  '^[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N}._-]{0,62}(?:/[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N}._-]{0,62}){0,9}$';
export const maxSitePathLength = 255;

export const tagPattern = '^[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N}._/+@-]{0,63}$';
const steps = 'letters, digits and . _ -';
/** What the patterns allow, for people. */
export const labelWords: Readonly<Record<string, string>> = {
  [sitePathPattern]: `up to 10 steps with / between them, each of ${steps}, that begin with a letter or digit; no spaces`,
  [tagPattern]: 'up to 64 letters, digits and . _ / + @ -, that begin with a letter or digit; no spaces',
};

/** Of one access point. */
export const maxTags = 50;

const sitePath = new RegExp(sitePathPattern, 'u');
const tag = new RegExp(tagPattern, 'u');

export function isSitePath(path: string): boolean {
  return path.length <= maxSitePathLength && sitePath.test(path);
}

export function isTag(text: string): boolean {
  return tag.test(text);
}
