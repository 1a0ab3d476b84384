// Settings of the address: where Weft listens, and which requests it accepts there.
import * as read from '../setting-values.ts';
import { settingsOf } from './setting.ts';

const { list, optional, withDefault } = settingsOf('Address');

export const addressSettings = {
  host: withDefault('WEFT_HOST', 'ADDRESS', '127.0.0.1', {
    read: read.hostName,
    description:
      'Address to listen on. If it is not loopback, Weft starts only with TLS (WEFT_TLS_CERT), WEFT_TRUSTED_PROXIES or WEFT_INSECURE_HTTP=allow; set WEFT_PUBLIC_URL as well.',
  }),
  port: withDefault('WEFT_PORT', 'PORT', '8000', {
    read: read.wholeNumber(0, 65535),
    description: 'Port to listen on; 0 selects any free port.',
  }),
  publicUrl: optional('WEFT_PUBLIC_URL', 'ORIGIN', {
    read: read.publicOrigin,
    description:
      'Public address of this Weft, such as https://weft.example.org. Used for links in mails and for the lines that register access points.',
  }),
  tlsCert: optional('WEFT_TLS_CERT', 'FILE', {
    read: read.text,
    description: 'File with the certificate chain (PEM). Enables HTTPS, together with WEFT_TLS_KEY.',
  }),
  tlsKey: optional('WEFT_TLS_KEY', 'FILE', {
    read: read.text,
    description: 'File with the private key (PEM) of WEFT_TLS_CERT.',
  }),
  trustedProxies: list('WEFT_TRUSTED_PROXIES', 'NETWORKS', '', {
    read: read.network,
    description: 'Proxies whose X-Forwarded-* headers are trusted: addresses or networks, separated by commas.',
  }),
  insecureHttp: withDefault('WEFT_INSECURE_HTTP', 'WORD', 'refuse', {
    read: read.oneOf('refuse', 'allow'),
    description:
      'allow: listen beyond loopback without TLS and without a trusted proxy. Passwords and tokens then cross the network unencrypted.',
  }),
  allowedHosts: list('WEFT_ALLOWED_HOSTS', 'NAMES', '', {
    read: read.hostName,
    description:
      'Additional names that are allowed in the Host header, separated by commas. The listening address, localhost and the name in WEFT_PUBLIC_URL are always allowed.',
  }),
  corsOrigins: list('WEFT_CORS_ORIGINS', 'ORIGINS', '', {
    read: read.origin,
    description: 'Origins of other web pages that may call Weft from a browser, separated by commas.',
  }),
} as const;
