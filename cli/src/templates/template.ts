// The type of a project template.

/** Files by name; `.env` is written by the caller, which knows the secrets. */
export type Template = (wanted: { name: string; url: string }) => Record<string, string | undefined>;
