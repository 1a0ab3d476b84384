// Tells somebody who asked for a field that an access point has not reported, which ones there are.
import { didYouMean } from '@weft/contract/closest-name';
import { parseSelector } from '@weft/contract/selector';
import type { App, LatestValues } from '@weft/sdk';
import { parseCsv } from './csv.ts';
import type { Surroundings } from './surroundings.ts';
import { naturally, printable } from './table.ts';

const maxListed = 20;

interface Asked {
  agents: readonly string[];
  /** Metrics and text fields. */
  names: readonly string[];
  /** Of what was reported since then, in milliseconds. */
  from: number;
}

/** A line on standard error for each name that none of these access points has reported. */
export async function warnOfUnknownMetrics(
  app: App,
  { agents, names, from }: Asked,
  { stderr }: Pick<Surroundings, 'stderr'>,
): Promise<void> {
  if (names.length === 0) return;
  const reported = await Promise.all(agents.map((ap_id) => fieldsOf(app, ap_id, from)));
  const known = [...new Set(reported.flat())].sort(naturally);
  const there = known.length === 0 ? 'Nothing was reported.' : `There are: ${listed(known)}.`;
  for (const name of names) {
    if (known.includes(name)) continue;
    stderr.write(`weft: ${agents.join(', ')}: no metric ${printable(name)}.${didYouMean(name, known)} ${there}\n`);
  }
}

/** The same for a selector, about all access points. */
export async function warnOfUnreportedMetrics(
  app: App,
  selector: string,
  { stderr }: Pick<Surroundings, 'stderr'>,
): Promise<void> {
  const asked = parseSelector(selector).metrics;
  if (asked.length === 0) return;
  const namesIn = (values: LatestValues[]) => new Set(values.flatMap(({ metrics }) => Object.keys(metrics)));
  const reported = namesIn(await app.latest({ metrics: asked }));
  const missing = asked.filter((name) => !reported.has(name));
  const known = missing.length === 0 ? [] : namesIn(await app.latest());
  for (const name of missing) {
    stderr.write(`weft: No access point has reported ${printable(name)}.${didYouMean(name, known)}\n`);
  }
}

/** The head of a table names everything that was reported since its beginning, also if it has no rows. */
async function fieldsOf(app: App, ap_id: string, from: number): Promise<string[]> {
  const file = await app.download(ap_id, { from, to: from + 1, format: 'csv' });
  const utf8 = new TextDecoder();
  const texts = async function* () {
    for await (const piece of file) yield utf8.decode(piece, { stream: true });
  };
  for await (const { cells } of parseCsv(texts())) return cells.slice(1);
  return [];
}

function listed(names: readonly string[]): string {
  const more = names.length - maxListed;
  return `${names.slice(0, maxListed).map(printable).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
