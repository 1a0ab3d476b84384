// Patterns of ap_ids: `*` matches any number of characters, `?` one. Nothing else is special. Permissions and
// enrolment use the same syntax.

export function matchesGlob(pattern: string, text: string): boolean {
  // Such characters are two units each.
  return beyondPlane.test(text)
    ? matchesParts([...pattern], [...text], isStar, isLike)
    : matchesParts(pattern, text, isStar, isLike);
}

const beyondPlane = /[\ud800-\udfff]/;
const isStar = (part: string) => part === '*';
const isLike = (part: string, character: string) => part === '?' || part === character;

/** A star stands for any number of items. Takes at most time proportional to pattern times text: backtracks only to the last star. */
export function matchesParts<Part>(
  pattern: ArrayLike<Part>,
  text: ArrayLike<string>,
  isStar: (part: Part) => boolean,
  isLike: (part: Part, item: string) => boolean,
): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let resumeAt = 0;
  while (t < text.length) {
    if (p < pattern.length && isStar(pattern[p]!)) {
      star = p++;
      resumeAt = t;
    } else if (p < pattern.length && isLike(pattern[p]!, text[t]!)) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++resumeAt;
    } else {
      return false;
    }
  }
  while (p < pattern.length && isStar(pattern[p]!)) p++;
  return p === pattern.length;
}

/** The same for very many texts: the parts between `*` are looked for one after the other. */
export function compileGlob(pattern: string): (text: string) => boolean {
  if (!isGlob(pattern)) return (text) => text === pattern;
  if (pattern.includes('?')) return (text) => matchesGlob(pattern, text);
  const parts = pattern.split('*');
  const [first, last] = [parts.shift()!, parts.pop()!];
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    for (const part of parts) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= text.length - last.length;
  };
}

export function isGlob(text: string): boolean {
  return /[*?]/.test(text);
}
