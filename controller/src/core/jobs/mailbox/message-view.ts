// The messages of a job as a caller may see them now: rights may have gone since they were stored. What is about agents out
// of sight is left out of a message; the message itself keeps its number and whether it is the last, so that nobody waits for it.
import { parseObject } from '@weft/contract/is-object';
import type { Caller } from '../../base/caller.ts';
import { rightsOf } from '../../base/rights/rights.ts';
import type { Network } from '../../network/network.ts';
import { mayAsk } from './job-rights.ts';
import type { MessageRecord } from './mailbox-store.ts';

export interface MessageViewOptions {
  network: Pick<Network, 'visibleTo'>;
}

interface Item {
  /** As it is written in the message, so that numbers stay as they were. */
  text: string;
  ap_id: string | undefined;
}

export class MessageView {
  readonly #network: MessageViewOptions['network'];

  constructor({ network }: MessageViewOptions) {
    this.#network = network;
  }

  /** Whether nothing can be hidden from the caller, so that messages need no look. */
  seesAll(caller: Caller): boolean {
    const { agent, seesAll } = rightsOf(caller);
    // What an agent may ask for is about itself.
    return agent !== undefined || (seesAll && mayAsk(caller, 'agent_data'));
  }

  /** `subject`: the one agent that the job is about. Without a caller, whose token is no longer good, only the status is shown. */
  async show(
    caller: Caller | undefined,
    subject: string | null,
    messages: readonly MessageRecord[],
  ): Promise<MessageRecord[]> {
    if (caller && this.seesAll(caller)) return [...messages];
    const items = new Map(messages.map((message) => [message, toItems(message, subject)]));
    const sight = caller && (await this.#network.visibleTo(caller));
    return messages.map((message) => {
      const { type } = message;
      if (type === 'status' || (type === 'emulator' && caller)) return message;
      const own = items.get(message)!;
      const shown =
        caller && isReadable(caller, type) ? own.filter(({ ap_id }) => ap_id !== undefined && sight?.sees(ap_id)) : [];
      return shown.length === own.length ? message : { ...message, data: `[${shown.map(({ text }) => text).join()}]` };
    });
  }
}

/** The result of its own commands a caller may know as long as it may see the agent. */
function isReadable(caller: Caller, type: MessageRecord['type']): boolean {
  return type === 'command' || mayAsk(caller, type);
}

/** The records of #23 name no agent: all of them are about the one that was asked about. A run is its owner's. */
function toItems({ type, data }: MessageRecord, subject: string | null): Item[] {
  if (type === 'agent_data') return [{ text: data.slice(1, -1), ap_id: subject ?? undefined }];
  if (type !== 'agent_details' && type !== 'command') return [{ text: data.slice(1, -1), ap_id: undefined }];
  return itemsOf(data).map((text) => {
    const { ap_id } = JSON.parse(text) as { ap_id?: unknown };
    return { text, ap_id: typeof ap_id === 'string' ? ap_id : undefined };
  });
}

/** The texts of the items of a JSON array of objects. */
export function itemsOf(array: string): string[] {
  const items: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < array.length; at++) {
    const character = array[at]!;
    if (character === '"') at = endOfString(array, at);
    else if (character === '{' || character === '[') {
      depth++;
      if (depth === 2 && character === '{') start = at;
    } else if (character === '}' || character === ']') {
      depth--;
      if (depth === 1 && character === '}') items.push(array.slice(start, at + 1));
    }
  }
  return items;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

// A message of a job as clients get it. The data is the text that came, never read and written again: numbers stay as
// they were.

/** The text of a JobEnvelope. */
export function toEnvelopeText({ job_number, seq, type, data, final, ts }: MessageRecord): string {
  const time = new Date(ts).toISOString();
  return `{"job_number":${JSON.stringify(job_number)},"seq":${seq},"type":"${type}","data":${data},"final":${final},"ts":"${time}"}`;
}

/** What another node tells, if it makes sense to this one. */
export function parseNews(text: string): { job_number: string; seq: number; final: boolean } {
  const { job_number = '', seq, final } = parseObject(text) ?? {};
  return { job_number: String(job_number), seq: Number.isSafeInteger(seq) ? Number(seq) : 0, final: final === true };
}
