// The operations of Weft, with what each takes and answers. In the package this is the list that is generated for the dashboard
// (scripts/build-sdk.mjs); inside of this repository, where the dashboard uses the SDK, everything is possible.

// biome-ignore lint/suspicious/noExplicitAny: see above
export type Operations = Record<string, { query?: any; json?: any; answer: any }>;
/** Of each operation its method and its path. */
export declare const operations: Record<string, string>;
