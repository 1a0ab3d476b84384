// What access points and apps may be called. One rule for both, because both names stand in paths and in globs.

/** At most 128 characters, none of which needs quoting in a path, a topic or a glob. */
export const NAME_PATTERN = '^[A-Za-z0-9][A-Za-z0-9._:@+-]{0,127}$';

/** A glob over such names: their characters, and `*` and `?` anywhere. */
export const NAME_GLOB_PATTERN = '^[A-Za-z0-9._:@+*?-]+$';
