// Writes many timestamps quickly: neighbours mostly share their minute, so that only the seconds are written again.

const two = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
const three = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'));
const minuteMs = 60_000;

/** Returns a function from milliseconds to `2026-03-01T12:00:00.000Z`. */
export function createTimestampWriter(): (ms: number) => string {
  let minute = Number.NaN;
  let prefix = '';
  return (ms) => {
    const thisMinute = Math.floor(ms / minuteMs);
    if (thisMinute !== minute) {
      minute = thisMinute;
      prefix = new Date(thisMinute * minuteMs).toISOString().slice(0, -7);
    }
    const rest = ms - thisMinute * minuteMs;
    const seconds = (rest / 1000) | 0;
    return `${prefix}${two[seconds]}.${three[rest - seconds * 1000]}Z`;
  };
}
