// The install line for an access point: pasted into its shell, it downloads the program and installs it.

export interface LineOptions {
  /** The address of Weft for the access point. */
  url: string;
  ap_id: string;
  token: string;
  /** Further options of `weft agent install`. */
  more: readonly string[];
}

export function enrolmentLine({ url, ap_id, token, more }: LineOptions): string {
  const install = ['agent', 'install', '--url', url, '--ap-id', ap_id, ...more].map(shellQuoted).join(' ');
  // Root runs the download: it must be in a folder that nobody else can write to.
  return (
    `d=$(mktemp -d) && curl -fsSL ${shellQuoted(`${url}/install/weft.mjs`)} -o $d/weft.mjs && ` +
    `sudo WEFT_ENROLMENT_TOKEN=${shellQuoted(token)} node $d/weft.mjs ${install}`
  );
}

/** Quoted as one word for any shell. */
export function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
