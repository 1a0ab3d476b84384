// How long a source file may be, how full a folder, and how large all of Weft.
import { dirname } from 'node:path/posix';
import { type Ring, ringOf } from './ring-rules.ts';

/** A file by its path from the top of the repository, with its text. */
export interface SourceFile {
  path: string;
  text: string;
}

/** A file that is longer has a second idea in it; in a folder with more files nobody sees the path. */
const maxLines = 300;
const maxFiles = 25;

/** Above these `npm run check` fails: what is added is met by taking something out. Lowered, never raised without a decision. */
const caps: Record<Ring | 'small' | 'wide', number> = {
  core: 70_748,
  operations: 55_190,
  lab: 16_778,
  tools: 3_382,
  small: 185,
  wide: 1_659,
};
const smallLines = 50;
const wideColumns = 120;
/** What does not count: tests, what runs them, examples, and what is generated. */
const uncounted =
  /(\.test|\.contract|\.bench)\.tsx?$|^(e2e|test|bench|examples|docs)\/|dashboard\/src\/api\/operations\.ts$/;

/** All files in git, with a sentence of their size, and what is above a cap. */
export function totalSize(files: SourceFile[], most = caps): { summary: string; breaches: string[] } {
  const counted = files.filter(({ path }) => /\.(tsx?|mjs)$/.test(path) && !uncounted.test(path));
  const widths = counted
    .flatMap(({ text }) => text.split('\n').filter((line) => line.trim() !== ''))
    .map(({ length }) => length);
  const meanWidth = widths.reduce((sum, width) => sum + width, 0) / widths.length;
  const rings: Record<Ring, number> = { core: 0, operations: 0, lab: 0, tools: 0 };
  for (const file of counted) rings[ringOf(file.path)] += lineCount(file);
  const small = counted.filter((file) => lineCount(file) <= smallLines).length;
  const sizes = { ...rings, small, wide: widths.filter((width) => width > wideColumns).length };
  const other = files.filter(({ path }) => /\.(sh|uc|py)$/.test(path)).reduce((sum, file) => sum + lineCount(file), 0);
  const total = rings.core + rings.operations + rings.lab + rings.tools;
  const limit = most.core + most.operations + most.lab + most.tools;
  const byRing = Object.entries(rings).map(([ring, lines]) => `${ring} ${lines} of ${most[ring as Ring]}`);
  return {
    summary: `${total} source lines (at most ${limit}: ${byRing.join(', ')}) in ${counted.length} files, ${small} of at most ${smallLines} lines; ${meanWidth.toFixed(1)} characters a line, ${sizes.wide} lines above ${wideColumns}; and ${other} lines of .sh, .uc and .py`,
    breaches: (Object.keys(sizes) as (keyof typeof sizes)[])
      .filter((what) => sizes[what] > most[what])
      .map((what) => `too large: ${what} ${sizes[what]}, at most ${most[what]}`),
  };
}

function lineCount({ text }: SourceFile): number {
  return text.split('\n').length - 1;
}

const generated = /^dashboard\/src\/api\/operations\.ts$/;

/** One line for each that is too large. Tests, and what runs them, may be long. */
export function sizeBreaches(files: SourceFile[]): string[] {
  const sources = files.filter(
    ({ path }) => /\.(tsx?|mjs)$/.test(path) && !/\.(test|contract)\.tsx?$|^(e2e|test|bench|docs)\//.test(path),
  );
  const counts = new Map<string, number>();
  for (const { path } of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [
    ...sources
      .map((file) => ({ path: file.path, lines: lineCount(file) }))
      .filter(({ path, lines }) => lines > maxLines && !generated.test(path))
      .map(({ path, lines }) => `${path} has ${lines} lines: look for the second idea in it (at most ${maxLines})`),
    ...[...counts]
      .filter(([, count]) => count > maxFiles)
      .map(([folder, count]) => `${folder} has ${count} source files: give it folders (at most ${maxFiles})`),
  ];
}
