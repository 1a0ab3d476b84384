// Patterns over the names of agents, as the interface reads them: `*` is any text, `?` one character. Pure.

export function isPattern(text: string): boolean {
  return /[*?]/.test(text);
}

export function matchesPattern(pattern: string, name: string): boolean {
  const source = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(name);
}
