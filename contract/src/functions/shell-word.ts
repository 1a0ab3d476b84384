// A text as one word of a shell command, for command lines that people copy.

/** Quoted, where any shell would need it. */
export function toShellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
