// Moments and spans as people read them, in the time zone of the browser.

const minute = 60;
const hour = 3600;
const day = 86_400;

/** `just now`, `40 s`, `12 min`, `3 h`, `5 d`. */
export function formatAge(seconds: number): string {
  if (seconds < 1) return 'just now';
  return formatSpan(seconds);
}

/** `40 s`, `2 min 5 s`, `3 h 20 min`, `5 d`: the two largest parts at most. */
export function formatSpan(seconds: number, parts = 1): string {
  const sizes: [number, string][] = [
    [day, 'd'],
    [hour, 'h'],
    [minute, 'min'],
    [1, 's'],
  ];
  let rest = Math.round(seconds);
  const words: string[] = [];
  for (const [size, unit] of sizes) {
    const count = Math.floor(rest / size);
    if (count === 0 && !(size === 1 && words.length === 0)) {
      if (words.length > 0) break;
      continue;
    }
    words.push(`${count}\u2009${unit}`);
    rest -= count * size;
    if (words.length === parts) break;
  }
  return words.join(' ');
}

/** `10:42:07` of today, with the date otherwise, and with the year if that is another one. */
export function formatMoment(ms: number, nowMs = Date.now()): string {
  const moment = new Date(ms);
  const today = new Date(nowMs);
  const time = moment.toLocaleTimeString('en-GB');
  if (moment.toDateString() === today.toDateString()) return time;
  const isThisYear = moment.getFullYear() === today.getFullYear();
  const date = moment.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    ...(!isThisYear && { year: 'numeric' }),
  });
  return `${date} ${time}`;
}

/** With date, seconds and zone, for those who compare with a log. */
export function formatExactly(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').replace('Z', ' UTC');
}
