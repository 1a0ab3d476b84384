// The audit log: who changed what, as one append-only hash chain of entries. Written in the transactions of the
// changes; read by administrators, verified by anyone with access to the database.
// It relies on the one row of `audit_head`: it is locked before an entry gets its number, and the
// lock lasts until the transaction ends, so that the order of numbers is the order of commits.
import { TryLaterError } from '../../base/errors.ts';
import { type SqlDatabase, type SqlQueries, type SqlValue, UniqueViolation } from '../../base/storage/sql-database.ts';
import { SqlStore } from '../../base/storage/sql-store.ts';
import { giveWay } from '../../base/time-slices.ts';
import { type ChainKey, ChainWalk, chainHash, headText } from './audit-chain.ts';
import { type AuditRecord, type NewAuditEntry, toColumns } from './audit-entry.ts';

export interface AuditFilters {
  /** One of these names. */
  actor?: readonly string[] | undefined;
  action?: string | undefined;
  target?: readonly string[] | undefined;
  /** From this moment on. */
  sinceMs?: number | undefined;
  /** Until right before this moment. */
  untilMs?: number | undefined;
}

export interface AuditPageOptions extends AuditFilters {
  /** Only entries older than this one. */
  beforeSeq?: number | undefined;
  limit: number;
}

export type AuditVerification =
  | {
      isWhole: true;
      /** How many entries were checked. */
      count: number;
      /** The newest entry; 0 and zeros if there is none. */
      seq: number;
      head: string;
      /** How many entries have a seal that was checked, none (they are older), or one of a secret that is not configured. */
      seals: { checked: number; without: number; unknown: number };
    }
  | {
      isWhole: false;
      /** The number of the first invalid entry. */
      seq: number;
      reason: string;
    };

/** A page ends when its details exceed this. */
export const maxPageBytes = 4 * 1024 * 1024;

const columns = [
  ...(['seq', 'ts', 'actor_kind', 'actor_id', 'actor_name', 'action'] as const),
  ...(['target_kind', 'target', 'detail', 'hash', 'mac'] as const),
];
const COLUMNS = columns.join(', ');
const ROW = `(${COLUMNS.replaceAll(/\w+/g, '?')})`;
const rowsPerInsert = 50;
/** How many entries one statement of a search scans, and how many it reads: a fraction of a millisecond each. */
const stretch = 1000;
const readAtOnce = 20;
/** How many entries a verification reads at a time. */
const walkPage = 200;
/** The minimum of the column; entries have numbers from 1 on. */
const lowestSeq = -(2 ** 31);

type Head = { seq: number; hash: string; mac: string | null; keyed_from: number | null };

export interface AuditLogOptions {
  /** Without it nothing is sealed or checked: for those who read a log without its secret. */
  key?: ChainKey | undefined;
  /** Called at the end of each append, in its transaction. */
  also?: (tx: SqlQueries, entries: readonly NewAuditEntry[]) => Promise<void>;
  now?: () => number;
}

/** Every method throws TryLaterError (503) while the database is unavailable; then nothing was changed. */
export class AuditLog extends SqlStore {
  readonly #now: () => number;
  readonly #key: ChainKey | undefined;
  readonly #lockSql: string;
  readonly #also: AuditLogOptions['also'];

  constructor(db: SqlDatabase, { key, also, now = Date.now }: AuditLogOptions = {}) {
    super(db);
    this.#also = also;
    this.#now = now;
    this.#key = key;
    // SQLite has one writer at a time, from the beginning of its transaction.
    this.#lockSql = `SELECT seq, hash, keyed_from FROM audit_head WHERE id = 1${db.dialect === 'postgres' ? ' FOR UPDATE' : ''}`;
  }

  /**
   * Locks the end of the log until the transaction ends: other transactions that append or lock wait. For callers that must decide
   * something before they write; `append` locks by itself.
   */
  async lock(tx: SqlQueries): Promise<void> {
    await this.#lockHead(tx);
  }

  /**
   * Appends the entries in order, in the transaction of the caller. Of any number of
   * transactions, on any number of nodes, no two use the same number and none leaves a gap. Throws TryLaterError (503,
   * `audit_log_damaged`) if the end of the log was changed, so that it cannot be continued.
   */
  async append(tx: SqlQueries, entries: readonly NewAuditEntry[]): Promise<void> {
    if (entries.length === 0) return;
    let { seq, hash, keyed_from: keyedFrom } = await this.#lockHead(tx);
    if (this.#key) keyedFrom ??= seq + 1;
    const ts = this.#now();
    const records = entries.map((entry) => {
      seq += 1;
      const content = { seq, ts, ...toColumns(entry) };
      hash = chainHash(hash, content);
      return { ...content, hash, mac: this.#key?.seal(hash) ?? null };
    });
    for (let start = 0; start < records.length; start += rowsPerInsert) {
      await insert(tx, records.slice(start, start + rowsPerInsert));
    }
    const mac = keyedFrom === null ? null : (this.#key?.seal(headText(seq, hash, keyedFrom)) ?? null);
    await tx.query('UPDATE audit_head SET seq = ?, hash = ?, mac = ?, keyed_from = ? WHERE id = 1', [
      seq,
      hash,
      mac,
      keyedFrom,
    ]);
    await this.#also?.(tx, entries);
  }

  /**
   * Entries that match all filters, newest first: at most `limit`, and fewer if their details exceed `maxPageBytes`
   * together, but at least one if there are any. A long search does not block others.
   */
  async list(options: AuditPageOptions): Promise<{ entries: AuditRecord[]; has_more: boolean }> {
    const { conditions, params } = toConditions(options);
    const sql = `SELECT ${COLUMNS} FROM audit_log WHERE seq <= ? AND seq >= ?${conditions} ORDER BY seq DESC LIMIT ?`;
    const wanted = options.limit + 1;
    const found: AuditRecord[] = [];
    let end = Math.min((options.beforeSeq ?? Number.POSITIVE_INFINITY) - 1, await this.#newestSeq());
    // In parts, because a statement of the embedded database blocks the whole process.
    while (end > 0 && found.length < wanted) {
      const start = Math.max(1, end - stretch + 1);
      const atMost = Math.min(readAtOnce, wanted - found.length);
      const rows = await this.db.query<Row>(sql, [end, start, ...params, atMost]);
      found.push(...rows.map((row) => ({ ...row })));
      end = (rows.length < atMost ? start : rows.at(-1)!.seq) - 1;
      await giveWay();
    }
    return toPage(found, options.limit);
  }

  /**
   * Verifies the chain in bounded memory, from the entry `fromSeq` or from the beginning, to the newest. Detects every entry that was
   * changed, removed, moved or inserted, and a truncated end. With `notedHash`, one of the verified entries (or the empty
   * beginning) must have that hash: this also detects a log that was rewritten as a whole. With the key of the installation the seals are
   * checked too, which detects that without a noted hash.
   */
  async verify({ fromSeq = 1, notedHash }: { fromSeq?: number; notedHash?: string } = {}): Promise<AuditVerification> {
    let walk = new ChainWalk(this.#key);
    if (fromSeq > 1) {
      const [before] = await this.page(fromSeq - 1, 1);
      if (before?.seq !== fromSeq - 1) return { isWhole: false, seq: fromSeq - 1, reason: 'the entry is missing' };
      walk = new ChainWalk(this.#key, before.seq, before.hash);
    }
    const startSeq = walk.seq;
    let isNoted = notedHash === undefined || notedHash === walk.hash;
    for (;;) {
      // The head first: the entries up to it exist when it is read, so entries beyond it can only be newer.
      const head = await this.#head();
      walk.keyedFrom = head?.keyed_from ?? Number.POSITIVE_INFINITY;
      const page = await this.page(walk.seq === 0 ? lowestSeq : walk.seq + 1, walkPage);
      for (const entry of page) {
        const fault = walk.step(entry);
        if (fault) return { isWhole: false, ...fault };
        isNoted ||= entry.hash === notedHash;
      }
      if (page.length > 0) continue;
      const fault = endFault(walk, head) ?? sealFault(this.#key, head);
      if (fault) return { isWhole: false, ...fault };
      if (!isNoted) return { isWhole: false, seq: walk.seq, reason: 'no entry has the hash that was noted' };
      return { isWhole: true, count: walk.seq - startSeq, seq: walk.seq, head: walk.hash, seals: walk.seals };
    }
  }

  async #lockHead(tx: SqlQueries): Promise<Head> {
    const [head] = await tx.query<Head>(this.#lockSql);
    if (!head) throw damaged('its end is not known any more');
    return head;
  }

  async #head(): Promise<Head | undefined> {
    const [head] = await this.db.query<Head>('SELECT seq, hash, mac, keyed_from FROM audit_head WHERE id = 1');
    return head;
  }

  async #newestSeq(): Promise<number> {
    const [row] = await this.db.query<{ seq: number | null }>('SELECT MAX(seq) AS seq FROM audit_log');
    return row?.seq ?? 0;
  }

  /** Up to `limit` entries from this number on, oldest first. */
  async page(fromSeq: number, limit: number): Promise<AuditRecord[]> {
    return this.db.query<Row>(`SELECT ${COLUMNS} FROM audit_log WHERE seq >= ? ORDER BY seq LIMIT ?`, [fromSeq, limit]);
  }
}

type Row = { [Column in keyof AuditRecord]: AuditRecord[Column] };

async function insert(tx: SqlQueries, records: readonly AuditRecord[]): Promise<void> {
  const values = records.flatMap((record) => columns.map((column): SqlValue => record[column]));
  try {
    await tx.query(`INSERT INTO audit_log (${COLUMNS}) VALUES ${records.map(() => ROW).join(', ')}`, values);
  } catch (error) {
    // Must not be mistaken for a unique violation of the change itself.
    if (error instanceof UniqueViolation) throw damaged('there are entries beyond its end');
    throw error;
  }
}

function toConditions({ actor, action, target, sinceMs, untilMs }: AuditPageOptions) {
  const parts: [string, SqlValue[]][] = [
    [`actor_name ${among(actor)}`, [...(actor ?? [])]],
    ['action = ?', action === undefined ? [] : [action]],
    [`target ${among(target)}`, [...(target ?? [])]],
    ['ts >= ?', sinceMs === undefined ? [] : [sinceMs]],
    ['ts < ?', untilMs === undefined ? [] : [untilMs]],
  ];
  const given = parts.filter(([, values]) => values.length > 0);
  return { conditions: given.map(([sql]) => ` AND ${sql}`).join(''), params: given.flatMap(([, values]) => values) };
}

function among(names: readonly string[] = []): string {
  return `IN (${names.map(() => '?').join(', ')})`;
}

function toPage(found: AuditRecord[], limit: number): { entries: AuditRecord[]; has_more: boolean } {
  let bytes = 0;
  const entries: AuditRecord[] = [];
  for (const entry of found.slice(0, limit)) {
    bytes += Buffer.byteLength(entry.detail);
    if (bytes > maxPageBytes && entries.length > 0) break;
    entries.push(entry);
  }
  return { entries, has_more: entries.length < found.length };
}

function endFault(walk: ChainWalk, head: Head | undefined): { seq: number; reason: string } | undefined {
  if (!head) return { seq: walk.seq, reason: 'the end of the log is not known any more' };
  if (head.seq > walk.seq) return { seq: walk.seq + 1, reason: 'the entry is missing' };
  if (head.seq < walk.seq) return { seq: head.seq + 1, reason: 'the entry does not belong to the log' };
  if (head.hash !== walk.hash) return { seq: walk.seq, reason: 'the log ends with another entry than was written' };
  return undefined;
}

/** The end may be that of a log that was cut, or rewritten without seals. */
function sealFault(key: ChainKey | undefined, head: Head | undefined): { seq: number; reason: string } | undefined {
  if (!key || !head || head.keyed_from === null) return undefined;
  const { seq, hash, mac, keyed_from } = head;
  if (mac !== null && key.checkSeal(headText(seq, hash, keyed_from), mac) !== 'bad') return undefined;
  return { seq, reason: 'the end of the log was written without the secret of this installation' };
}

function damaged(why: string): TryLaterError {
  return new TryLaterError(503, 'audit_log_damaged', `The audit log is damaged: ${why}; run weft audit verify`, 60);
}
