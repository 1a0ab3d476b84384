// The first entry of a backup: what is included, what is not, and the schema versions.
import { readdirSync } from 'node:fs';
import { MIGRATIONS_FOLDER } from '../../core/base/storage/migrations.ts';
import { BackupError } from './backup-error.ts';

export const manifestName = 'manifest.json';
export const maxManifestBytes = 16 * 1024 * 1024;
const format = 1;

export interface BackupPart {
  path: string;
  size: number;
  sha256: string;
}

/** A part of the installation that is stored on another server. */
export interface LeftOut {
  what: string;
  /** The command that backs it up. */
  command: string;
}

export interface BackupManifest {
  format: number;
  /** Version of the Weft that wrote it. */
  weft: string;
  created_at: string;
  /** Absent for parts that are not included. The version of the telemetry is checked when its tables are opened. */
  schemas: { registry?: number; telemetry?: number };
  has_secret: boolean;
  left_out: LeftOut[];
  parts: BackupPart[];
}

/** The only files of a data folder that a backup may contain: a restore never writes anything else. */
const partPath =
  /^(weft\.db|secret|telemetry\/telemetry\.db|telemetry\/journal\/\d{12}\.log|emulator\/[A-Za-z0-9_-]{1,64}\.(world|commands))$/;

export function createManifest(content: Omit<BackupManifest, 'format' | 'has_secret'>): BackupManifest {
  const { weft, created_at, schemas, left_out, parts } = content;
  const has_secret = parts.some(({ path }) => path === 'secret');
  return { format, weft, created_at, schemas, has_secret, left_out, parts };
}

/** Throws BackupError for a manifest that this Weft must not restore, an Error for an invalid one. */
export function parseManifest(text: string): BackupManifest {
  const manifest = JSON.parse(text) as BackupManifest;
  if (typeof manifest.format !== 'number') throw new Error('it has no manifest');
  requireKnown('the backup', manifest.format, format);
  const { schemas, parts, left_out } = manifest;
  const newestMigration = readdirSync(MIGRATIONS_FOLDER).filter((file) => file.endsWith('.sql')).length;
  requireKnown('its database', schemas.registry ?? 0, newestMigration);
  const paths = new Set<string>();
  for (const { path, size, sha256 } of parts) {
    if (typeof path !== 'string' || !partPath.test(path)) {
      throw new BackupError(`it contains ${JSON.stringify(path)}, which is not a file of a data folder`);
    }
    const isSound = Number.isSafeInteger(size) && size >= 0 && /^[0-9a-f]{64}$/.test(sha256) && !paths.has(path);
    if (!isSound) throw new Error('its manifest cannot be read');
    paths.add(path);
  }
  if (!Array.isArray(left_out)) throw new Error('its manifest cannot be read');
  return manifest;
}

function requireKnown(what: string, found: number, known: number): void {
  if (found <= known) return;
  throw new BackupError(`${what} has version ${found}, and this Weft knows ${known}: restore it with a newer Weft`);
}
