// Where passwords, keys and tokens would cross a network unencrypted: refused where Weft listens, a warning where it connects.
import { serverAddresses } from '@weft/contract/server-addresses';
import { isLoopback } from '../loopback.ts';
import type { SettingValues } from '../settings.ts';

/** A problem if Weft would listen beyond this machine without TLS; undefined otherwise. */
export function clearTextListening(values: SettingValues, isGiven: (key: 'tlsCert') => boolean): string | undefined {
  const { host, trustedProxies = [], insecureHttp } = values;
  if (host === undefined || isLoopback(host) || isGiven('tlsCert')) return undefined;
  if (trustedProxies.length > 0 || insecureHttp === 'allow') return undefined;
  return (
    `WEFT_HOST (${host}) would accept passwords unencrypted from other machines: set WEFT_TLS_CERT and WEFT_TLS_KEY, ` +
    'or WEFT_TRUSTED_PROXIES if a proxy in front of Weft terminates TLS, or WEFT_INSECURE_HTTP=allow to accept the risk'
  );
}

/** One warning for each server beyond this machine that is connected to without TLS. */
export function clearTextConnections(values: SettingValues): string[] {
  const { databaseUrl, telemetryUrl, amqpUrl, smtpUrl, callbackUrl } = values;
  const warnings = [
    databaseUrl && isRemote(databaseUrl) && !isPostgresEncrypted(databaseUrl)
      ? 'WEFT_DATABASE_URL connects to PostgreSQL unencrypted: add ?sslmode=verify-full'
      : undefined,
    telemetryUrl && isRemote(telemetryUrl) ? clearTextTelemetry(telemetryUrl) : undefined,
    amqpUrl && isRemote(amqpUrl) && !amqpUrl.startsWith('amqps:')
      ? 'WEFT_AMQP_URL connects to RabbitMQ unencrypted: use amqps://'
      : undefined,
    callbackUrl && isRemote(callbackUrl) && !callbackUrl.startsWith('https:')
      ? 'WEFT_CALLBACK_URL posts results unencrypted: use https://'
      : undefined,
    smtpUrl && isRemote(smtpUrl) && !smtpUrl.startsWith('smtps:') && !hasCredentials(smtpUrl)
      ? 'WEFT_SMTP_URL may send mail with reset links unencrypted: use smtps://'
      : undefined,
  ];
  return warnings.filter((warning) => warning !== undefined);
}

/** An SMTP server beyond this machine must encrypt (STARTTLS) before it gets a password. */
export function mustStartTls(smtpUrl: string): boolean {
  return isRemote(smtpUrl) && hasCredentials(smtpUrl);
}

function clearTextTelemetry(url: string): string | undefined {
  if (url.startsWith('clickhouses:')) return undefined;
  if (url.startsWith('clickhouse:')) {
    return 'WEFT_TELEMETRY_URL connects to ClickHouse unencrypted: use clickhouses://';
  }
  if (isPostgresEncrypted(url)) return undefined;
  return 'WEFT_TELEMETRY_URL connects to PostgreSQL unencrypted: add ?sslmode=verify-full';
}

/** Whether one of its servers is beyond this machine. */
function isRemote(url: string): boolean {
  return serverAddresses(url).some(isRemoteServer);
}

function isRemoteServer(url: string): boolean {
  const host = URL.parse(url)?.hostname.replace(/^\[(.*)\]$/, '$1') ?? '';
  // PostgreSQL without a host, or with an encoded path as host, is a socket of this machine.
  return host !== '' && !host.startsWith('%2') && !isLoopback(host);
}

function hasCredentials(url: string): boolean {
  return (URL.parse(url)?.password ?? '') !== '';
}

function isPostgresEncrypted(url: string): boolean {
  const query = URL.parse(serverAddresses(url)[0]!)!.searchParams;
  const mode = query.get('sslmode');
  if (mode !== null) return !['disable', 'allow', 'prefer'].includes(mode);
  return ['true', '1'].includes(query.get('ssl') ?? '');
}
