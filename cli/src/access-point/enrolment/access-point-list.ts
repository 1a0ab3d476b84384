// A table of new access points: a column `ap_id`, and other columns that become configuration. All errors
// are found before anything is created.
import { nameKey, nameRule, readApId } from '@weft/contract/ap-id';
import { CsvError, parseCsvTable, requireWidth } from '../../csv.ts';
import { parseAssignments, problemOfKey, problemsOfConfiguration } from '../configuration.ts';

export interface ListedAccessPoint {
  ap_id: string;
  /** `key=value`, as --set takes them. */
  assignments: string[];
}

/** The errors in a table, each with its line. */
export class ListError extends Error {
  override name = 'ListError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** The maximum number of enrolment tokens in Weft. */
const maxAccessPoints = 10_000;
const places = new Map([
  ['latitude', 'geolocation.latitude'],
  ['longitude', 'geolocation.longitude'],
]);

/** `common` are assignments for every access point; those of the table replace them. Throws ListError. */
export async function readAccessPointList(
  text: AsyncIterable<string> | Iterable<string>,
  common: readonly string[] = [],
): Promise<ListedAccessPoint[]> {
  const found: ListedAccessPoint[] = [];
  const problems: string[] = [];
  const lineOf = new Map<string, number>();
  try {
    const { columns, rows } = await parseCsvTable(text);
    const keys = columns.map((column) => places.get(column) ?? column);
    const at = columns.indexOf('ap_id');
    if (at < 0) throw new CsvError(1, 'there is no column ap_id');
    for (const key of keys.filter((_, index) => index !== at)) {
      const problem = problemOfKey(key);
      if (problem) problems.push(`line 1: ${problem}`);
    }
    const areKeysValid = problems.length === 0;
    for await (const row of rows) {
      if (found.length >= maxAccessPoints) throw new CsvError(row.line, `more than ${maxAccessPoints} access points`);
      try {
        requireWidth(row, columns);
      } catch (error) {
        problems.push((error as Error).message);
        continue;
      }
      const cells = row.cells.map((cell) => cell.trim());
      const ap_id = readApId(cells[at]!) ?? cells[at]!;
      const key = nameKey(ap_id);
      const problem = problemOfName(ap_id, lineOf.get(key));
      if (problem) problems.push(`line ${row.line}: ${problem}`);
      lineOf.set(key, row.line);
      const assignments = cells.flatMap((cell, index) => (index === at || cell === '' ? [] : `${keys[index]}=${cell}`));
      if (areKeysValid) {
        const wrong = problemsOfConfiguration(parseAssignments([...common, ...assignments]));
        problems.push(...wrong.map((text) => `line ${row.line}: ${text}`));
      }
      found.push({ ap_id, assignments });
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    problems.push(error.message);
  }
  if (problems.length === 0 && found.length === 0) problems.push('line 2: there is no access point');
  if (problems.length > 0) throw new ListError(problems);
  return found;
}

function problemOfName(ap_id: string, otherLine: number | undefined): string | undefined {
  if (ap_id === '') return 'ap_id is empty';
  if (readApId(ap_id) === undefined) return `${JSON.stringify(ap_id)} is not a valid access point name: ${nameRule}`;
  return otherLine === undefined ? undefined : `${ap_id} is already in line ${otherLine}`;
}
