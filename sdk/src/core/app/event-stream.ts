// Server-sent events out of the pieces of an answer, however these are cut.

export interface ServerSentEvent {
  /** The last id seen, which may be that of an earlier event. */
  id: string | undefined;
  event: string;
  data: string;
}

export class EventStreamParser {
  #rest = '';
  #id: string | undefined;
  #lastId: string | undefined;
  #event = '';
  #data: string[] = [];

  /** The id of the newest event, also of one without data. */
  get lastId(): string | undefined {
    return this.#lastId;
  }

  /** The events that are complete with this piece. */
  push(piece: string): ServerSentEvent[] {
    // A line may end in CR LF, and the piece between the two.
    const lines = (this.#rest + piece).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.#line(line));
  }

  #line(line: string): ServerSentEvent[] {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) return [];
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'id') this.#id = value;
    else if (field === 'event') this.#event = value;
    else if (field === 'data') this.#data.push(value);
    return [];
  }

  #dispatch(): ServerSentEvent[] {
    const [event, data] = [this.#event || 'message', this.#data];
    this.#event = '';
    this.#data = [];
    // Not before its blank line: an event that breaks off has not come.
    this.#lastId = this.#id;
    return data.length === 0 ? [] : [{ id: this.#id, event, data: data.join('\n') }];
  }
}
