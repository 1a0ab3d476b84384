// Reads server-sent events out of a stream of text. Pure: it knows neither network nor clock.

export interface StreamEvent {
  id: string | undefined;
  event: string;
  data: string;
}

export class EventStreamParser {
  #rest = '';
  #id: string | undefined;

  /** Takes a piece of text as it came, however it was cut, and returns the events that are complete with it. */
  push(text: string): StreamEvent[] {
    const blocks = (this.#rest + text).replaceAll('\r\n', '\n').split('\n\n');
    this.#rest = blocks.pop()!;
    return blocks.map((block) => this.#parse(block)).filter((event) => event !== undefined);
  }

  #parse(block: string): StreamEvent | undefined {
    let event = 'message';
    const data: string[] = [];
    for (const line of block.split('\n')) {
      const colon = line.indexOf(':');
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'id') this.#id = value;
      else if (field === 'event') event = value;
      else if (field === 'data') data.push(value);
    }
    return data.length > 0 ? { id: this.#id, event, data: data.join('\n') } : undefined;
  }
}
