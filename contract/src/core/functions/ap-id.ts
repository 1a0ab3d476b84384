// The names of access points: letters, marks and digits of any script, a few signs, and single spaces inside. One rule for
// everything that creates, looks for or carries a name.

/** Without characters that nobody sees: two names must differ for the eye too. */
const letter = '(?!\\p{Default_Ignorable_Code_Point})[\\p{L}\\p{M}\\p{Nd}._:@+-]';
export const NAME_PATTERN = `^(?!-|\\.{1,2}$)(?=.{1,128}$)(?:${letter})+(?: (?:${letter})+)*$`;

/** A glob over such names: their characters, and `*` and `?` anywhere. */
export const NAME_GLOB_PATTERN = '^(?:(?!\\p{Default_Ignorable_Code_Point})[ \\p{L}\\p{M}\\p{Nd}._:@+*?-])+$';

export const nameRule =
  'letters and digits of any script, . _ : @ + - and single spaces inside; not beginning with -; at most 128 characters';

const namePattern = new RegExp(NAME_PATTERN, 'u');
const globPattern = new RegExp(NAME_GLOB_PATTERN, 'u');

/** The name as it is stored, or undefined for a text that is none. */
export function readApId(text: string): string | undefined {
  const name = toApId(text);
  return namePattern.test(name) ? name : undefined;
}

/** The same of a pattern of names. */
export function readApIdGlob(text: string): string | undefined {
  const glob = toApId(text);
  return globPattern.test(glob) ? glob : undefined;
}

/** One spelling of each name: what people type and what files contain may be composed in other ways. */
export function toApId(text: string): string {
  return text.normalize('NFC');
}

/**
 * What names that people take for one another share: in other letters of the same shape or case, or with a plus sign, which
 * addresses read as a space.
 */
export function nameKey(ap_id: string): string {
  const folded = ap_id.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
  return folded.replaceAll('+', ' ');
}

/** Below a folder, where what belongs to an access point is kept; in steps, because the names of files are short. */
export function folderOf(ap_id: string): string {
  return encodeURIComponent(ap_id)
    .match(/.{1,200}/g)!
    .join('/+');
}
