// A start time: the model uses hours of the week, not dates, so every Thursday is the same.

/** This hour of the Thursday before today, as RFC 3339. */
export function lastThursday(hour = 0): string {
  const day = new Date();
  day.setUTCHours(0, 0, 0, 0);
  do day.setUTCDate(day.getUTCDate() - 1);
  while (day.getUTCDay() !== 4);
  day.setUTCHours(hour);
  return day.toISOString();
}
