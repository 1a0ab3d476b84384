// Parses a latitude and a longitude in decimal degrees or degrees, minutes and seconds: `51.4545,-2.5879`,
// `51°27'16"N 2°35'16"W`, `N 51 27.27 W 2 35.27`. A number, a mark and a letter are tokens; the rest is their order.

export interface Location {
  /** From -90 to 90. */
  latitude: number;
  /** From -180 to 180. */
  longitude: number;
}

export interface NoLocation {
  /** A sentence without its subject: "should be …". */
  problem: string;
}

interface Token {
  kind: 'number' | 'degrees' | 'minutes' | 'seconds' | 'side' | 'comma';
  text: string;
}

interface Angle {
  degrees: number;
  /** Undefined if there is no letter. */
  axis?: 'latitude' | 'longitude';
}

const problem = 'should be a latitude and a longitude, as in "51.4545,-2.5879" or 51°27\'16"N 2°35\'16"W';
// Exponents of numbers near zero; a capital E is east.
const TOKEN =
  /(?<number>[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e-[0-9]{1,3})?)|(?<degrees>°)|(?<seconds>"|'')|(?<minutes>')|(?<side>[NSEW])|(?<comma>,)|\s+/iy;
/** Similar characters of keyboards, maps and word processors. */
const lookAlikes: [RegExp, string][] = [
  [/[º˚]/g, '°'],
  [/[″”“ʺ]/g, '"'],
  [/[′’‘ʹ´]/g, "'"],
  [/[−–]/g, '-'],
];

/** Undefined if the text does not look like coordinates, such as the name of a place. Ranges are not checked. */
export function parseCoordinates(text: string): Location | NoLocation | undefined {
  const tokens = tokensOf(lookAlikes.reduce((line, [signs, sign]) => line.replace(signs, sign), text));
  if (!tokens?.some(({ kind }) => kind === 'number')) return undefined;
  const [first, second] = halves(tokens).map(angleOf);
  if (first === undefined || second === undefined) return { problem };
  if (first.axis !== undefined && first.axis === second.axis) return { problem };
  const isLongitudeFirst = first.axis === 'longitude' || second.axis === 'latitude';
  const [latitude, longitude] = isLongitudeFirst ? [second, first] : [first, second];
  return { latitude: latitude.degrees, longitude: longitude.degrees };
}

function tokensOf(text: string): Token[] | undefined {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text);
    if (match === null) return undefined;
    for (const [kind, found] of Object.entries(match.groups ?? {})) {
      if (found !== undefined) tokens.push({ kind: kind as Token['kind'], text: found });
    }
  }
  return tokens;
}

/** The index where the second angle begins: after a comma, at its letter or after that of the first, or at its degrees. */
function halves(tokens: Token[]): Token[][] {
  const places = (kind: Token['kind']) => tokens.flatMap((token, index) => (token.kind === kind ? [index] : []));
  const [commas, sides, degrees, numbers] = (['comma', 'side', 'degrees', 'number'] as const).map(places) as [
    number[],
    number[],
    number[],
    number[],
  ];
  if (commas.length > 1) return [];
  if (commas.length === 1) return [tokens.slice(0, commas[0]!), tokens.slice(commas[0]! + 1)];
  let start = numbers.length === 2 ? numbers[1]! : undefined;
  if (degrees.length === 2) start = degrees[1]! - 1;
  if (sides.length === 2) start = sides[0] === 0 ? sides[1]! : sides[0]! + 1;
  return start === undefined ? [] : [tokens.slice(0, start), tokens.slice(start)];
}

function angleOf(half: Token[]): Angle | undefined {
  const sides = half.filter(({ kind }) => kind === 'side');
  const parts = half.filter(({ kind }) => kind !== 'side');
  if (sides.length > 1) return undefined;
  const [side] = sides;
  if (side !== undefined && side !== half[0] && side !== half.at(-1)) return undefined;
  const degrees = degreesOf(parts);
  if (degrees === undefined) return undefined;
  if (side === undefined) return { degrees };
  // "-2 W" could mean either side.
  if (/^[+-]/.test(parts[0]!.text)) return undefined;
  const letter = side.text.toUpperCase();
  return {
    degrees: letter === 'S' || letter === 'W' ? -degrees : degrees,
    axis: letter === 'N' || letter === 'S' ? 'latitude' : 'longitude',
  };
}

const marks = ['degrees', 'minutes', 'seconds'] as const;

/** Degrees, minutes and seconds in this order, with their marks or without; only the last may have a fraction. */
function degreesOf(parts: Token[]): number | undefined {
  const numbers: string[] = [];
  for (const { kind, text } of parts) {
    if (kind === 'number') numbers.push(text);
    else if (numbers.length === 0 || kind !== marks[numbers.length - 1]) return undefined;
  }
  if (numbers.length === 0 || numbers.length > 3) return undefined;
  const [whole, ...rest] = numbers as [string, ...string[]];
  if (rest.some((text) => !/^[0-9]/.test(text) || !(Number(text) < 60))) return undefined;
  if (numbers.slice(0, -1).some((text) => !/^[+-]?[0-9]+$/.test(text))) return undefined;
  const size = rest.reduce((sum, text, index) => sum + Number(text) / 60 ** (index + 1), Math.abs(Number(whole)));
  return whole.startsWith('-') ? -size : size;
}
