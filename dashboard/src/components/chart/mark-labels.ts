// Where the words of marks have room: in the first row of words in which they meet no others. Pure; all in the same unit of
// length.

interface Mark {
  /** Where its line is. */
  x: number;
  width: number;
}

export interface LabelPlace {
  start: number;
  row: number;
}

interface Room {
  left: number;
  right: number;
  gap: number;
  rows: number;
}

/** Where the words of each mark begin; undefined where they would run into others or out of the plot. */
export function placeLabels(marks: readonly Mark[], { left, right, gap, rows }: Room): (LabelPlace | undefined)[] {
  const order = marks.map((_, index) => index).sort((a, b) => marks[a]!.x - marks[b]!.x);
  const places: (LabelPlace | undefined)[] = marks.map(() => undefined);
  const free = new Array<number>(rows).fill(left);
  for (const index of order) {
    const { x, width } = marks[index]!;
    // Behind the line; before it where the plot ends.
    const start = x + gap + width <= right ? x + gap : x - gap - width;
    const row = free.findIndex((from) => from <= start);
    if (row < 0) continue;
    places[index] = { start, row };
    free[row] = start + width + gap;
  }
  return places;
}
