// What one access point says about its devices: the time of its newest list, its links, and the identities by which it knows
// them. These are personal data, in memory only, and each only for the access point that reported it.
import { none } from './device-table.ts';

export class ServedDevices {
  readonly ap_id: string;
  readonly slot: number;
  /** Of the newest list; undefined: it never sent one. */
  listTs: number | undefined;
  /** When this node learned of it, by its own clock. */
  heardMs = 0;
  /** Whether the newest list came to this node. */
  isHere = false;
  /** The first of its links. */
  firstLink = none;
  linkCount = 0;
  /** From the identity as it is reported to the link. */
  readonly identities = new Map<string, number>();
  /** The number of the newest change of its links that is not durable yet, as the journal counts; 0: none. */
  unwritten = 0;

  constructor(ap_id: string, slot: number) {
    this.ap_id = ap_id;
    this.slot = slot;
  }

  /** As the access point reports it; undefined if it has not since this process started. */
  identityOf(link: number): string | undefined {
    for (const [identity, its] of this.identities) if (its === link) return identity;
    return undefined;
  }

  forgetLinks(links: ReadonlySet<number>): void {
    for (const [identity, link] of this.identities) if (links.has(link)) this.identities.delete(identity);
  }
}

/** The result of a list. */
export interface AppliedList {
  agent: ServedDevices;
  /** How many devices were left out, because there are too many or (`refused`) too many have joined. */
  leftOut: number;
  refused: number;
}
