// Sites: where access points stand, as a tree of paths such as `uk/bristol/hall`.

import { Page } from './answers.ts';
import { maxSitePathLength, sitePathPattern } from './functions/label-rules.ts';
import * as Type from './schema/schema.ts';

const Path = Type.String({
  minLength: 1,
  maxLength: maxSitePathLength,
  pattern: sitePathPattern,
  // Classes of characters such as \p{L} are unknown to many validators.
  documented: { pattern: '^[^\\s/]+(?:/[^\\s/]+)*$' },
  format: 'label',
  description: 'At most 10 steps, separated by slashes. The sites above it need not exist.',
});
const Geolocation = Type.Object({
  latitude: Type.Number({ minimum: -90, maximum: 90 }),
  longitude: Type.Number({ minimum: -180, maximum: 180 }),
});
const TimeZone = Type.String({
  minLength: 1,
  maxLength: 64,
  format: 'time-zone',
  description: 'A name of IANA, such as `Europe/London`.',
});
const Name = Type.String({ minLength: 1, maxLength: 128, format: 'label' });
const Notes = Type.String({ maxLength: 4000 });

export const SiteCreate = Type.Named('SiteCreate', {
  path: Path,
  name: Type.Optional(Type.OrNull(Name, { description: 'Default: the last step of the path.' })),
  geolocation: Type.Optional(Type.OrNull(Geolocation)),
  time_zone: Type.Optional(
    Type.OrNull(TimeZone, { description: 'Default: that of the nearest site above it that has one.' }),
  ),
  notes: Type.Optional(Type.OrNull(Notes)),
});
export type SiteCreate = Type.Static<typeof SiteCreate>;

export const Site = Type.Named('Site', {
  id: Type.String({ format: 'uuid' }),
  path: Type.String(),
  name: Type.String(),
  geolocation: Type.OrNull(Geolocation),
  time_zone: Type.OrNull(Type.String()),
  notes: Type.String(),
  access_points: Type.Integer({ description: 'How many are directly in it.' }),
  created_at: Type.Timestamp,
});
export type Site = Type.Static<typeof Site>;

export const SitePage = Page(Site, 'SitePage');
export type SitePage = Type.Static<typeof SitePage>;
