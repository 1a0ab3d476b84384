/** Somebody else has declared something of the same name, and it would not do what Weft needs. */
export class ForeignQueue extends Error {
  override name = 'ForeignQueue';
  constructor(answer: string) {
    const [, what = 'queue or exchange', name = ''] = /for (queue|exchange) '([^']+)'/.exec(answer) ?? [];
    super(
      `the ${what} ${name} is there with other arguments; delete it once it is empty, or use another virtual host: ${answer}`,
    );
  }
}
