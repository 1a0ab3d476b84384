// `?standby` in an address of PostgreSQL: standbys among its servers take reads that may be a little behind.

const defaultSeconds = 5;
const maxSeconds = 3_600;
const parameter = /^standby(=|$)/;

export interface StandbySetting {
  /** The address without it. */
  url: string;
  /** How far a standby may be behind; undefined: standbys take no reads. */
  maxBehindMs: number | undefined;
}

/** Throws an Error that says what is wrong with it. */
export function readStandby(url: string): StandbySetting {
  const at = url.indexOf('?');
  const parameters = at < 0 ? [] : url.slice(at + 1).split('&');
  const found = parameters.find((each) => parameter.test(each));
  if (found === undefined) return { url, maxBehindMs: undefined };
  const text = found.slice('standby='.length);
  const seconds = text === '' ? defaultSeconds : Number(text);
  if (!/^[0-9]*$/.test(text) || seconds < 1 || seconds > maxSeconds) {
    throw new Error(`has standby=${text.slice(0, 20)}, which must be seconds from 1 to ${maxSeconds}`);
  }
  const rest = parameters.filter((each) => !parameter.test(each));
  return {
    url: url.slice(0, at) + (rest.length > 0 ? `?${rest.join('&')}` : ''),
    maxBehindMs: seconds * 1000,
  };
}
