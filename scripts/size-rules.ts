// How long a source file may be, and how full a folder.
import { dirname } from 'node:path/posix';

/** A file by its path from the top of the repository, with its text. */
export interface SourceFile {
  path: string;
  text: string;
}

/** A file that is longer has a second idea in it; in a folder with more files nobody sees the path. */
const maxLines = 300;
const maxFiles = 25;

const generated = /^dashboard\/src\/api\/operations\.ts$/;

/** One line for each that is too large. */
export function sizeBreaches(sources: SourceFile[]): string[] {
  const counts = new Map<string, number>();
  for (const { path } of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [
    ...sources
      .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
      .filter(({ path, lines }) => lines > maxLines && !generated.test(path))
      .map(({ path, lines }) => `${path} has ${lines} lines: look for the second idea in it (at most ${maxLines})`),
    ...[...counts]
      .filter(([, count]) => count > maxFiles)
      .map(([folder, count]) => `${folder} has ${count} source files: give it folders (at most ${maxFiles})`),
  ];
}
