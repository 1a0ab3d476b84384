// Holds the map against the code: the lists of parts and events in ARCHITECTURE.md, and that no part refers to something that it
// creates later.
import type { SourceFile } from './size-rules.ts';

export interface MapTexts {
  architecture: string;
  parts: string;
  events: string;
}

/** One line for each difference. */
export function mapBreaches({ architecture, parts, events }: MapTexts): string[] {
  const listed = /in this order:\n\n(.*?)\n\n/s.exec(architecture)?.[1] ?? '';
  const paragraph = /What it tells later parts goes through `events`:(.*?)Tests start/s.exec(architecture)?.[1] ?? '';
  return [
    ...difference(
      'parts',
      listed.split(/→|,/).map((name) => name.trim().replaceAll(/[ -]/g, '').toLowerCase()),
      Array.from(parts.matchAll(/= create(\w+)Part\(/g), (match) => match[1]!.toLowerCase()),
    ),
    ...difference(
      'events',
      Array.from(paragraph.matchAll(/`(\w+)`/g), (match) => match[1]!).sort(),
      Array.from(events.matchAll(/^ {4}(\w+): new /gm), (match) => match[1]!).sort(),
    ),
  ];
}

function difference(what: string, listed: string[], real: string[]): string[] {
  if (listed.join() === real.join()) return [];
  const missing = real.filter((name) => !listed.includes(name));
  const unknown = listed.filter((name) => !real.includes(name));
  const order = missing.length + unknown.length === 0 ? `the order is ${real.join(', ')}` : '';
  const problems = [missing.length > 0 && `missing: ${missing}`, unknown.length > 0 && `unknown: ${unknown}`, order];
  return [`ARCHITECTURE.md: the list of ${what} is not that of the code; ${problems.filter(Boolean).join('; ')}`];
}

/** What the function of a part uses above the line that creates it: a closure that works only if it is called late enough. */
export function usesOfLater({ path, text }: SourceFile): string[] {
  const start = text.search(/^export function create\w+Part\(/m);
  if (!path.endsWith('-part.ts') || start < 0) return [];
  const body = text.slice(start, text.indexOf('\n}\n', start)).replaceAll(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, '');
  return Array.from(body.matchAll(/^ {2}(?:const|let) (\w+)\b/gm)).flatMap(({ 1: name, index }) => {
    const isUsed = new RegExp(`(?<![\\w.'"\`])${name}(?=[.?(!])`).test(body.slice(body.indexOf('{\n'), index));
    return isUsed ? [`${path} uses ${name} before it creates it: let it listen to an event instead`] : [];
  });
}
