// Rows of a table that can be chosen, by a box before each and with a key.

export interface RowChoice<Row> {
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
  labelOf: (row: Row) => string;
}

export function turnChosen<Row>({ chosen, onChange }: RowChoice<Row>, key: string): void {
  const next = new Set(chosen);
  if (!next.delete(key)) next.add(key);
  onChange(next);
}
