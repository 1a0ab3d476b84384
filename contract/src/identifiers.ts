// What access points and apps may be called. Names of access points stand in paths, series and globs; those of apps in paths
// only, where they are percent-encoded.

/** At most 128 characters, none of which needs quoting in a path, a topic or a glob. */
export const NAME_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._:@+-]{0,127}$';

/** A glob over such names: their characters, and `*` and `?` anywhere. */
export const NAME_GLOB_PATTERN = '^[A-Za-z0-9._:@+*?-]+$';

/** The name of an app: 1 to 128 printable characters, spaces among them but not at the ends. */
export const APP_NAME_PATTERN =
  '^[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}](?:[ \\p{L}\\p{M}\\p{N}\\p{P}\\p{S}]{0,126}[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}])?$';
