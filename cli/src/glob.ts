// Patterns over names, as Weft's permissions have them: `*` is any run of characters, `?` any one.

export function matchesGlob(name: string, pattern: string): boolean {
  // Step by step rather than by a regular expression: a pattern of many stars must not take for ever.
  let [at, want, star, mark] = [0, 0, -1, 0];
  while (at < name.length) {
    if (want < pattern.length && (pattern[want] === '?' || pattern[want] === name[at]) && pattern[want] !== '*') {
      at++;
      want++;
    } else if (pattern[want] === '*') {
      star = want++;
      mark = at;
    } else if (star >= 0) {
      want = star + 1;
      at = ++mark;
    } else {
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(want));
}

export function isGlob(text: string): boolean {
  return /[*?]/.test(text);
}
