// Settings as lines NAME=value, in the format of systemd (EnvironmentFile=) and shells.

/** Throws an Error with the line number. Ignores comments and empty lines; the last of equal names is used. */
export function parseEnvironment(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const trimmed = line.trim();
    if (trimmed === '' || /^[#;]/.test(trimmed)) continue;
    const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/.exec(trimmed) ?? [];
    if (name === undefined || value === undefined) throw new Error(`line ${index + 1} is not NAME=value`);
    found[name] = unquoted(value, index + 1);
  }
  return found;
}

/** One name and value per line; values may contain anything but line ends. */
export function toEnvironment(settings: Record<string, string | undefined>): string {
  return Object.entries(settings)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value = '']) => {
      if (/[\r\n\0]/.test(value)) throw new Error(`${name} must be one line`);
      return `${name}="${value.replaceAll(/[\\"$`]/g, '\\$&')}"\n`;
    })
    .join('');
}

function unquoted(value: string, line: number): string {
  const quote = value[0];
  if (quote !== '"' && quote !== "'") return value;
  if (value.length < 2 || !value.endsWith(quote)) throw new Error(`a quote is not closed in line ${line}`);
  const inner = value.slice(1, -1);
  return quote === "'" ? inner : inner.replaceAll(/\\([\\"$`])/g, '$1');
}
