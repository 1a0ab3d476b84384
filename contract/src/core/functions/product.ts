// Which Weft this is, for whoever knows its version: that, and the commit that it was built of.

/** Put in its place by the build (`buildCommit` of scripts/build.mjs). */
declare const __WEFT_COMMIT__: string;

export interface Product {
  version: string;
  commit: string | null;
}

export function productOf({ version }: { version: string }): Product {
  // Run from its sources there is none: they may be those of no commit.
  const commit = typeof __WEFT_COMMIT__ === 'string' && __WEFT_COMMIT__ !== '' ? __WEFT_COMMIT__ : null;
  return { version, commit };
}

/** For people: `weft 0.3.0 (commit 1a2b3c4d)`. */
export function productLine({ version, commit }: Product): string {
  return `weft ${version}${commit === null ? '' : ` (commit ${commit.slice(0, 12)})`}\n`;
}
