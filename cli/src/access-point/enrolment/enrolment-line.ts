// The line that makes a machine an access point of Weft: pasted into its shell, it fetches the program and installs it.

export interface LineOptions {
  /** Where the access point reaches Weft. */
  url: string;
  ap_id: string;
  token: string;
  /** Further options of `weft agent install`. */
  more: readonly string[];
}

export function enrolmentLine({ url, ap_id, token, more }: LineOptions): string {
  const install = ['agent', 'install', '--url', url, '--ap-id', ap_id, ...more].map(shellQuoted).join(' ');
  // Root runs what was fetched: it must lie where nobody else can put anything in its place.
  return (
    `d=$(mktemp -d) && curl -fsSL ${shellQuoted(`${url}/install/weft.mjs`)} -o $d/weft.mjs && ` +
    `sudo WEFT_ENROLMENT_TOKEN=${shellQuoted(token)} node $d/weft.mjs ${install}`
  );
}

/** One word for any shell, whatever is in it. */
export function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
