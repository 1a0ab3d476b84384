// What an access point needs to verify what it downloads: the hash of the program, and the fingerprint of a certificate
// that no authority has signed.
import { createHash, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstallChecksums } from '@weft/contract/enrolment-line';
import { NotFoundError } from '../../base/errors.ts';
import { everyone } from '../../base/rights/permission.ts';
import type { Page } from './page.ts';

export function installChecksumsPage(dashboardFolder: string, certificateFile: string | undefined): Page {
  const program = join(dashboardFolder, 'install', 'weft.mjs');
  let checksums: Promise<InstallChecksums> | undefined;
  return {
    operation: 'documentation',
    permission: everyone,
    url: '/install/checksums.json',
    async handle(_request, reply) {
      if (!existsSync(program)) throw new NotFoundError('not_built', 'weft.mjs is not built yet: run npm run build');
      checksums ??= readChecksums(program, certificateFile);
      reply.header('cache-control', 'no-cache');
      return await checksums;
    },
  };
}

async function readChecksums(program: string, certificateFile: string | undefined): Promise<InstallChecksums> {
  const hash = createHash('sha256')
    .update(await readFile(program))
    .digest('hex');
  const certificate = certificateFile === undefined ? undefined : selfSigned(certificateFile);
  return { 'weft.mjs': hash, ...(certificate && { certificate }) };
}

function selfSigned(file: string): InstallChecksums['certificate'] {
  const certificate = new X509Certificate(readFileSync(file));
  if (!certificate.checkIssued(certificate)) return undefined;
  const key = certificate.publicKey.export({ type: 'spki', format: 'der' });
  return {
    public_key: createHash('sha256').update(key).digest('base64'),
    fingerprint: certificate.fingerprint256,
  };
}
