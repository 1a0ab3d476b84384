// Patterns of ap_ids: `*` matches any number of characters, `?` one. Nothing else is special. Permissions and
// enrolment use the same syntax.

/** Takes at most time proportional to pattern times text: backtracks only to the last `*`. */
export function matchesGlob(pattern: string, text: string): boolean {
  // Such characters are two units each.
  return beyondPlane.test(text) ? matches([...pattern], [...text]) : matches(pattern, text);
}

const beyondPlane = /[\ud800-\udfff]/;

function matches(pattern: ArrayLike<string>, text: ArrayLike<string>): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let resumeAt = 0;
  while (t < text.length) {
    if (p < pattern.length && pattern[p] === '*') {
      star = p++;
      resumeAt = t;
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++resumeAt;
    } else {
      return false;
    }
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}

export function isGlob(text: string): boolean {
  return /[*?]/.test(text);
}
