// Rules and silences in SQL.
import { ConflictError } from '../../errors.ts';
import { type SqlDatabase, type SqlQueries, type SqlRow, UniqueViolation } from '../../storage/sql-database.ts';
import type { RuleRecord, RuleStore, SilenceRecord, SilenceStore } from './rule-store.ts';

const RULE = 'id, name, product, is_adjusted, rule, created_at, updated_at';
const SILENCE = 'id, silence, created_by, created_at, ends_at';

export function createRuleStore(db: SqlDatabase): RuleStore {
  return {
    async list(tx: SqlQueries = db) {
      return (await tx.query(`SELECT ${RULE} FROM alarm_rules ORDER BY name`)).map(toRule);
    },
    async get(id, tx: SqlQueries = db) {
      const [row] = await tx.query(`SELECT ${RULE} FROM alarm_rules WHERE id = ?`, [id]);
      return row && toRule(row);
    },
    async create(tx, { id, rule, product, is_adjusted, created_at, updated_at }) {
      await tx
        .query(`INSERT INTO alarm_rules (${RULE}) VALUES (?, ?, ?, ?, ?, ?, ?)`, [
          id,
          rule.name,
          product,
          is_adjusted ? 1 : 0,
          JSON.stringify(rule),
          created_at,
          updated_at,
        ])
        .catch(throwRuleExists);
    },
    async update(tx, { id, rule, product, is_adjusted, updated_at }) {
      await tx
        .query('UPDATE alarm_rules SET name = ?, product = ?, is_adjusted = ?, rule = ?, updated_at = ? WHERE id = ?', [
          rule.name,
          product,
          is_adjusted ? 1 : 0,
          JSON.stringify(rule),
          updated_at,
          id,
        ])
        .catch(throwRuleExists);
    },
    async remove(tx, id) {
      const [row] = await tx.query(`DELETE FROM alarm_rules WHERE id = ? RETURNING ${RULE}`, [id]);
      return row && toRule(row);
    },
    async newProducts(tx, products) {
      const fresh: string[] = [];
      for (const product of products) {
        const added = await tx.query(
          'INSERT INTO alarm_products (product) VALUES (?) ON CONFLICT (product) DO NOTHING RETURNING product',
          [product],
        );
        if (added.length > 0) fresh.push(product);
      }
      return fresh;
    },
  };
}

export function createSilenceStore(db: SqlDatabase): SilenceStore {
  return {
    async list(tx: SqlQueries = db) {
      return (await tx.query(`SELECT ${SILENCE} FROM silences ORDER BY created_at, id`)).map(toSilence);
    },
    async get(id, tx: SqlQueries = db) {
      const [row] = await tx.query(`SELECT ${SILENCE} FROM silences WHERE id = ?`, [id]);
      return row && toSilence(row);
    },
    async create(tx, { id, silence, created_by, created_at, ends_at }) {
      await tx.query(`INSERT INTO silences (${SILENCE}) VALUES (?, ?, ?, ?, ?)`, [
        id,
        JSON.stringify(silence),
        created_by,
        created_at,
        ends_at,
      ]);
    },
    async update(tx, { id, silence, ends_at }) {
      const [before] = await tx.query(`SELECT ${SILENCE} FROM silences WHERE id = ?`, [id]);
      await tx.query('UPDATE silences SET silence = ?, ends_at = ? WHERE id = ?', [
        JSON.stringify(silence),
        ends_at,
        id,
      ]);
      return before && toSilence(before);
    },
    async remove(tx, id) {
      const [row] = await tx.query(`DELETE FROM silences WHERE id = ? RETURNING ${SILENCE}`, [id]);
      return row && toSilence(row);
    },
    async prune(tx, beforeMs) {
      return (await tx.query('DELETE FROM silences WHERE ends_at < ? RETURNING id', [beforeMs])).length;
    },
  };
}

function throwRuleExists(error: unknown): never {
  if (error instanceof UniqueViolation) {
    throw new ConflictError('alarm_rule_exists', 'A rule with this name exists');
  }
  throw error;
}

type RuleRow = {
  id: string;
  product: string | null;
  is_adjusted: number;
  rule: string;
  created_at: number;
  updated_at: number;
};

type SilenceRow = { id: string; silence: string; created_by: string; created_at: number; ends_at: number | null };

function toRule(row: SqlRow): RuleRecord {
  const { id, product, is_adjusted, rule, created_at, updated_at } = row as RuleRow;
  return { id, rule: JSON.parse(rule), product, is_adjusted: is_adjusted === 1, created_at, updated_at };
}

function toSilence(row: SqlRow): SilenceRecord {
  const { id, silence, created_by, created_at, ends_at } = row as SilenceRow;
  return { id, silence: JSON.parse(silence), created_by, created_at, ends_at };
}
