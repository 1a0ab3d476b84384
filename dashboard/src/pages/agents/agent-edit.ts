// The form that edits an access point, and what it changes of the configuration. An update replaces the whole
// configuration, so every key that the form does not show is kept. Pure.
import { geolocationOf } from '../../data/agent-configuration.ts';
import { agentsText } from '../../text/agents.ts';
import { overviewText } from '../../text/overview.ts';
import { parsePlace } from './registration.ts';

type Configuration = Record<string, unknown>;

export interface EditValues extends Record<string, string> {
  place: string;
  interval: string;
}

/** Key of the configuration -> its new value; undefined removes it. */
export type Changes = Record<string, unknown>;

export function toEditValues(configuration: Configuration): EditValues {
  const place = geolocationOf(configuration);
  return {
    place: place ? `${place.latitude}, ${place.longitude}` : '',
    interval: textOf(configuration.report_interval_seconds),
  };
}

/** What was changed in the form, against what it began with, and what is wrong with it, by field. */
export function changesOf(
  configuration: Configuration,
  values: EditValues,
): { changes: Changes; problems: Partial<EditValues> } {
  const before = toEditValues(configuration);
  const isChanged = (name: keyof EditValues & string) => values[name]!.trim() !== before[name]!.trim();
  const changes: Changes = {};
  const problems: Partial<EditValues> = {};
  if (isChanged('place')) {
    const place = parsePlace(values.place);
    if (values.place.trim() === '') changes.geolocation = undefined;
    else if (place) changes.geolocation = { ...otherKeysOf(configuration.geolocation), ...place };
    else problems.place = overviewText.register.locationWrong;
  }
  if (isChanged('interval')) {
    const seconds = Number(values.interval.trim());
    if (values.interval.trim() === '') changes.report_interval_seconds = undefined;
    else if (Number.isFinite(seconds) && seconds > 0) changes.report_interval_seconds = seconds;
    else problems.interval = agentsText.manage.intervalWrong;
  }
  return { changes, problems };
}

/** The configuration with these changes and everything else in it. */
export function withChanges(configuration: Configuration, changes: Changes): Configuration {
  const all = Object.entries({ ...configuration, ...changes });
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}

/** The changes that undo these. */
export function reverseOf(configuration: Configuration, changes: Changes): Changes {
  return Object.fromEntries(Object.keys(changes).map((key) => [key, configuration[key]]));
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** An altitude, say. Other spellings of the coordinates would contradict the new ones. */
function otherKeysOf(geolocation: unknown): Configuration {
  if (typeof geolocation !== 'object' || geolocation === null) return {};
  const { lat: _lat, long: _long, lon: _lon, lng: _lng, ...rest } = geolocation as Configuration;
  return rest;
}
