// Mail over SMTP.
import { mustStartTls } from '../settings/clear-text.ts';
import { lazyTransport, type Mailer } from './mailer.ts';

// The default time-outs are minutes, longer than a stop may take or a recovery request is leased.
const patience = { dnsTimeout: 10_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

export function createSmtpMailer(smtpUrl: string, from: string): Mailer {
  const transport = lazyTransport(({ createTransport }) =>
    createTransport({ url: smtpUrl, requireTLS: mustStartTls(smtpUrl), ...patience }, { from }),
  );
  return {
    async send(mail) {
      await (await transport()).sendMail(mail);
    },
    async check() {
      await (await transport()).verify();
    },
  };
}
