// Why a backup or a restore failed, in one sentence that says what to do; nothing is left behind then.
import { WeftError } from '../../core/base/errors.ts';

export class BackupError extends WeftError {
  constructor(detail: string, options?: ErrorOptions) {
    super('backup_failed', detail, options);
  }
}

const SQLITE_FULL = 13;
const reasons: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'a file may not become that large',
  EACCES: 'this account may not',
  EPERM: 'this account may not',
  EROFS: 'the file system is read-only',
  ENOENT: 'it is not there',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  EBUSY: 'it is a mount point',
  EXDEV: 'it is a mount point',
};

/** `what` begins the sentence, as in `what: the disk is full`. Unexpected errors are returned unchanged. */
export function toBackupError(error: unknown, what: string): unknown {
  if (error instanceof WeftError) return error;
  const { code = '', errcode, message } = error as { code?: string; errcode?: number; message: string };
  if (errcode !== undefined) {
    const why = errcode === SQLITE_FULL ? reasons.ENOSPC! : message;
    return new BackupError(`${what}: ${why}`, { cause: error });
  }
  return Object.hasOwn(reasons, code) ? new BackupError(`${what}: ${reasons[code]}`, { cause: error }) : error;
}
