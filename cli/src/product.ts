// Which Weft this is: its version, and the commit that it was built of.
import packageJson from '../package.json' with { type: 'json' };

/** Put in its place by the build (`buildCommit` of scripts/build.mjs). */
declare const __WEFT_COMMIT__: string;

export const product: { version: string; commit: string | null } = {
  version: packageJson.version,
  // Run from its sources there is none: they may be those of no commit.
  commit: typeof __WEFT_COMMIT__ === 'string' && __WEFT_COMMIT__ !== '' ? __WEFT_COMMIT__ : null,
};

/** For people: `weft 0.3.0 (commit 1a2b3c4d)`. */
export function productLine({ version, commit } = product): string {
  return `weft ${version}${commit === null ? '' : ` (commit ${commit.slice(0, 12)})`}\n`;
}
