// What apps may be called. Their names stand in paths only, where they are percent-encoded.

/** The name of an app: 1 to 128 printable characters, spaces among them but not at the ends. */
export const APP_NAME_PATTERN =
  '^[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}](?:[ \\p{L}\\p{M}\\p{N}\\p{P}\\p{S}]{0,126}[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}])?$';
