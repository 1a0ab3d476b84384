// What the medium access of 802.11 costs: frames and their overheads, and contention by Bianchi's fixed point as ns-3 has it.
// Times in microseconds, rates in Mb/s.
import { pow } from '@weft/contract/exact-math';

const slotUs = 9;
const sifsUs = 16;
/** AIFS of best effort; and the wait of whoever heard a frame that it could not read, the acknowledgement at 6 Mb/s. */
const aifsUs = sifsUs + 3 * slotUs;
const eifsUs = sifsUs + 44 + aifsUs;
const firstWindow = 16;
const lastWindow = 1024;
const mostTries = 7;
/** At 24 Mb/s: a block acknowledgement, the request for one, RTS and CTS. */
const blockAckUs = 32;
const requestUs = 32;
const [rtsUs, ctsUs] = [28, 28];
/** Legacy preamble, HE-SIG-A and HE-STF; the training field for each stream. */
const preambleUs = 36;
const trainingUs = 8;
const symbolUs = 13.6;
/** What a packet of 1,500 bytes is in an aggregate: headers, checksum, delimiter, padding. */
const packetBits = 12_000;
const packetBytes = 1544;
/** Of an aggregate, as ns-3 has them by default. */
const mostBytes = 65_535;
const mostPackets = 64;
const longestUs = 5484;
const meanBackoffUs = (slotUs * (firstWindow - 1)) / 2;

export interface Frame {
  payloadBits: number;
  bytes: number;
  /** On the air, with its acknowledgement and the wait after it; without backoff. */
  durationUs: number;
}

/** The frame of somebody with data without end. */
export function frameOf(phyMbps: number, streams: number, withRts = false): Frame {
  const headUs = preambleUs + trainingUs * streams;
  const packets = Math.max(
    1,
    Math.min(
      mostPackets,
      Math.floor(mostBytes / packetBytes),
      Math.floor(((longestUs - headUs) * phyMbps) / (8 * packetBytes)),
    ),
  );
  const bytes = packets * packetBytes;
  const bodyUs = symbolUs * Math.ceil((8 * bytes + 22) / (phyMbps * symbolUs));
  const guardUs = withRts ? rtsUs + ctsUs + 2 * sifsUs : 0;
  return {
    payloadBits: packets * packetBits,
    bytes,
    durationUs: guardUs + headUs + bodyUs + sifsUs + blockAckUs + aifsUs,
  };
}

/** What a single sender gets through if the air is its own: nobody to collide with, but a backoff before each frame. */
export function loneGoodputMbps(phyMbps: number, streams: number, rtsAboveBytes = usualRtsAboveBytes): number {
  const plain = frameOf(phyMbps, streams);
  const { payloadBits, durationUs } = plain.bytes > rtsAboveBytes ? frameOf(phyMbps, streams, true) : plain;
  return payloadBits / (durationUs + meanBackoffUs);
}

/** ns-3's default: no frame is so long, and none is announced. */
export const usualRtsAboveBytes = 4_692_480;

/** How long the cycle of a lone sender takes, from what it gets through. */
export function loneCycleUs(goodputMbps: number): number {
  return Math.min(packetBits * Math.floor(mostBytes / packetBytes), goodputMbps * longestUs) / goodputMbps;
}

/** How many times longer a lone sender sends than it counts down. */
export function activityRatio(cycleUs: number): number {
  return Math.max(1, cycleUs / meanBackoffUs - 1);
}

/** What happens for each frame that comes through, among so many senders with data waiting. */
interface Contention {
  /** Share of attempts that collide. */
  collisionShare: number;
  idleUs: number;
  /** Requests for an acknowledgement that did not come, and collisions among those. */
  requestsUs: number;
  /** Aggregates that collide; with RTS it is the announcements that do. */
  collisions: number;
}

/**
 * A sender that misses a block acknowledgement does not send the aggregate again at once: it asks for the acknowledgement, with
 * a doubled window each time, and the answer resets the window (ns-3's default). So aggregates always have the first window,
 * and collide more often than in Bianchi's own chain, which holds with RTS.
 */
function contend(senders: number, withRts: boolean): Contention {
  const cycleOf = (p: number) => {
    let [attempts, slots, reached] = [1, (firstWindow - 1) / 2, p];
    for (let stage = 1; stage < mostTries; stage++) {
      attempts += reached;
      slots += reached * ((Math.min(lastWindow, firstWindow << stage) - 1) / 2);
      reached *= p;
    }
    return { attempts, chance: attempts / (slots + attempts) };
  };
  let [low, high] = [0, 1];
  for (let n = 0; n < 40 && senders > 1; n++) {
    const p = (low + high) / 2;
    if (1 - pow(1 - cycleOf(p).chance, senders - 1) > p) low = p;
    else high = p;
  }
  const collisionShare = senders > 1 ? low : 0;
  const { attempts, chance } = cycleOf(collisionShare);
  const data = withRts ? chance : chance / attempts;
  const idle = pow(1 - chance, senders);
  const alone = senders * pow(1 - chance, senders - 1);
  const sent = alone * data;
  const asked = alone * (chance - data);
  const onlyRequests = Math.max(0, pow(1 - data, senders) - idle - asked);
  const collided = senders > 1 ? Math.max(0, 1 - idle - sent - asked - onlyRequests) : 0;
  return {
    collisionShare,
    idleUs: (slotUs * idle) / sent,
    requestsUs: (asked * (requestUs + sifsUs + blockAckUs + aifsUs) + onlyRequests * (requestUs + eifsUs)) / sent,
    collisions: collided / sent,
  };
}

const stepsEach = 2;
const mostSenders = 128;
const lastPlace = (mostSenders - 1) * stepsEach;
/** Filled where somebody asks: few are ever needed, and all of them were a thirtieth of the start of Weft. */
const tables: [Contention[], Contention[]] = [[], []];

function contentionAt(place: number, withRts: boolean): Contention {
  const table = tables[withRts ? 1 : 0];
  table[place] ??= contend(1 + place / stepsEach, withRts);
  return table[place];
}

function between(senders: number, withRts: boolean, pick: (contention: Contention) => number): number {
  const place = Math.max(0, Math.min(lastPlace, (senders - 1) * stepsEach));
  const from = Math.floor(place);
  const value = pick(contentionAt(from, withRts));
  return from === place ? value : value + (pick(contentionAt(from + 1, withRts)) - value) * (place - from);
}

/** Share of attempts that collide; none of a lone sender's. */
export function collisionShare(senders: number, withRts = false): number {
  return between(senders, withRts, (contention) => contention.collisionShare);
}

/** What all of so many senders get through together, as a share of what a lone one would. */
export function contentionEfficiency(senders: number, loneCycle: number, withRts = false): number {
  const frameUs = loneCycle - meanBackoffUs;
  const lostUs = withRts ? rtsUs + eifsUs : frameUs - aifsUs - sifsUs - blockAckUs + eifsUs;
  const cycleUs = between(senders, withRts, ({ idleUs, requestsUs, collisions }) => {
    return idleUs + frameUs + requestsUs + collisions * lostUs;
  });
  return loneCycle / cycleUs;
}
