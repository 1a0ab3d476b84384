// How long a source file may be, how full a folder, and how large all of Weft.
import { dirname } from 'node:path/posix';

/** A file by its path from the top of the repository, with its text. */
export interface SourceFile {
  path: string;
  text: string;
}

/** A file that is longer has a second idea in it; in a folder with more files nobody sees the path. */
const maxLines = 300;
const maxFiles = 25;

/** Above these `npm run check` fails: what is added is met by taking something out. Lowered, never raised without a decision. */
const caps = { lines: 146_048, smallFiles: 349 };
const smallLines = 50;
/** What does not count: tests, what runs them, examples, and what is generated. */
const uncounted =
  /(\.test|\.contract|\.bench)\.tsx?$|^(e2e|test|bench|examples|docs)\/|dashboard\/src\/api\/operations\.ts$/;

/** All files in git, with a sentence of their size, and what is above a cap. */
export function totalSize(files: SourceFile[]): { summary: string; breaches: string[] } {
  const counted = files.filter(({ path }) => /\.(tsx?|mjs)$/.test(path) && !uncounted.test(path)).map(lineCount);
  const lines = counted.reduce((sum, count) => sum + count, 0);
  const smallFiles = counted.filter((count) => count <= smallLines).length;
  const summary = `${lines} source lines (at most ${caps.lines}) in ${counted.length} files, ${smallFiles} of at most ${smallLines} lines (at most ${caps.smallFiles})`;
  return { summary, breaches: lines > caps.lines || smallFiles > caps.smallFiles ? [`too large: ${summary}`] : [] };
}

function lineCount({ text }: SourceFile): number {
  return text.split('\n').length - 1;
}

const generated = /^dashboard\/src\/api\/operations\.ts$/;

/** One line for each that is too large. Tests, and what runs them, may be long. */
export function sizeBreaches(files: SourceFile[]): string[] {
  const sources = files.filter(({ path }) => !/\.(test|contract)\.tsx?$|^(e2e|test|bench|docs)\//.test(path));
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
