// Mail as `.eml` files in a folder, for installations without a mail server: any mail program can open them.
import { randomUUID } from 'node:crypto';
import { access, constants, mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { lazyTransport, type Mailer } from './mailer.ts';

export function createOutboxMailer(folder: string, from: string, onWritten: (file: string) => void): Mailer {
  const transport = lazyTransport(({ createTransport }) =>
    createTransport({ streamTransport: true, buffer: true, newline: 'unix' }, { from }),
  );
  return {
    async send(mail) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const { message } = await (await transport()).sendMail(mail);
      const name = `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID().slice(0, 8)}.eml`;
      const draft = join(folder, `.${name}.part`);
      const file = await open(draft, 'wx', 0o600);
      try {
        await file.writeFile(message as Buffer);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, join(folder, name));
      onWritten(join(folder, name));
    },
    async check() {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await access(folder, constants.W_OK);
    },
  };
}
