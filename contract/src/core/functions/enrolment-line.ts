// The install line for an access point: pasted into its shell, it downloads Weft's agent, verifies it and installs it.

/** What Weft says about the files that it hands out (`/install/checksums.json`). */
export interface InstallChecksums {
  /** SHA-256 of weft.mjs, in hexadecimal. */
  'weft.mjs': string;
  /** Of the certificate of this Weft, if no authority has signed it. */
  certificate?: {
    /** SHA-256 of its public key, in base64, as curl wants it. */
    public_key: string;
    /** SHA-256 of the whole, in hexadecimal with colons. */
    fingerprint: string;
  };
}

export interface LineOptions {
  /** The address of Weft for the access point. */
  url: string;
  ap_id: string;
  token: string;
  checksums: InstallChecksums;
  /** Further options of `weft agent install`. */
  more?: readonly string[];
}

export function enrolmentLine({ url, ap_id, token, checksums, more = [] }: LineOptions): string {
  const { certificate } = checksums;
  const pin = certificate ? ['-k', '--pinnedpubkey', `sha256//${certificate.public_key}`] : [];
  const trust = certificate ? ['--fingerprint', certificate.fingerprint] : [];
  const install = [
    'agent',
    'install',
    '--enrolment-token-file',
    '-',
    '--url',
    url,
    '--ap-id',
    ap_id,
    ...trust,
    ...more,
  ];
  const quoted = (words: string[]) => words.map(toShellWord).join(' ');
  return [
    // Root runs the download: it must be in a folder that nobody else can write to, and be what Weft has vouched for.
    `d=$(mktemp -d) && ${quoted(['curl', '-fsSL', ...pin, `${url}/install/weft.mjs`])} -o $d/weft.mjs`,
    `printf '%s  %s' ${checksums['weft.mjs']} $d/weft.mjs | sha256sum -c - >/dev/null`,
    // By standard input: everybody on a machine can read a command line. Where there is no sudo, root needs none.
    `printf %s ${toShellWord(token)} | $(test $(id -u) = 0 || echo sudo) node $d/weft.mjs ${quoted(install)}`,
  ].join(' && ');
}

// A text as one word of a shell command, for command lines that people copy.

/** Quoted, where any shell would need it. */
export function toShellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

// One cell of CSV (RFC 4180), for all that Weft writes: a spreadsheet shows it and never runs it, a terminal too.
const formulaStart = /^[=+\-@\t\r\n]/;
const plainNumber = /^[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const needsQuotes = /[",\r\n\uFEFF]|^\s|\s$/;
/** Line breaks and tabs are data in a cell. */
const control = /[^\P{Cc}\t\r\n]/gu;

/** What a spreadsheet would take for a formula gets an apostrophe in front; plain numbers are left alone. ESC is written as `\u{1b}`. */
export function csvCell(text: string): string {
  const shown = text.replaceAll(control, (one) => `\\u{${one.codePointAt(0)!.toString(16)}}`);
  const safe = formulaStart.test(shown) && !plainNumber.test(shown) ? `'${shown}` : shown;
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
