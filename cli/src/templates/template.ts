// What a template is made of.

/** Files by name; `.env` is written by whoever knows the secrets. */
export type Template = (wanted: { name: string; url: string }) => Record<string, string | undefined>;
