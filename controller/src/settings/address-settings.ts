// Settings of the address: where Weft listens, and which requests it accepts there.
import * as read from '../setting-values.ts';
import { list, optional, withDefault } from './setting.ts';

export const addressSettings = {
  host: withDefault('host', '127.0.0.1', {
    name: 'WEFT_HOST',
    group: 'Address',
    placeholder: 'ADDRESS',
    read: read.hostName,
    description:
      'Address to listen on. If it is not loopback, Weft starts only with TLS (WEFT_TLS_CERT), WEFT_TRUSTED_PROXIES or WEFT_INSECURE_HTTP=allow; set WEFT_PUBLIC_URL as well.',
  }),
  port: withDefault('port', '8000', {
    name: 'WEFT_PORT',
    group: 'Address',
    placeholder: 'PORT',
    read: read.wholeNumber(0, 65535),
    description: 'Port to listen on; 0 selects any free port.',
  }),
  publicUrl: optional('public-url', {
    name: 'WEFT_PUBLIC_URL',
    group: 'Address',
    placeholder: 'ORIGIN',
    read: read.publicOrigin,
    description:
      'Public address of this Weft, such as https://weft.example.org. Used for links in mails and for the lines that register access points.',
  }),
  tlsCert: optional('tls-cert', {
    name: 'WEFT_TLS_CERT',
    group: 'Address',
    placeholder: 'FILE',
    read: read.text,
    description: 'File with the certificate chain (PEM). Enables HTTPS, together with WEFT_TLS_KEY.',
  }),
  tlsKey: optional('tls-key', {
    name: 'WEFT_TLS_KEY',
    group: 'Address',
    placeholder: 'FILE',
    read: read.text,
    description: 'File with the private key (PEM) of WEFT_TLS_CERT.',
  }),
  trustedProxies: list('trusted-proxies', '', {
    name: 'WEFT_TRUSTED_PROXIES',
    group: 'Address',
    placeholder: 'NETWORKS',
    read: read.network,
    description: 'Proxies whose X-Forwarded-* headers are trusted: addresses or networks, separated by commas.',
  }),
  insecureHttp: withDefault('insecure-http', 'refuse', {
    name: 'WEFT_INSECURE_HTTP',
    group: 'Address',
    placeholder: 'WORD',
    read: read.oneOf('refuse', 'allow'),
    description:
      'allow: listen beyond loopback without TLS and without a trusted proxy. Passwords and tokens then cross the network unencrypted.',
  }),
  allowedHosts: list('allowed-hosts', '', {
    name: 'WEFT_ALLOWED_HOSTS',
    group: 'Address',
    placeholder: 'NAMES',
    read: read.hostName,
    description:
      'Additional names that are allowed in the Host header, separated by commas. The listening address, localhost and the name in WEFT_PUBLIC_URL are always allowed.',
  }),
  corsOrigins: list('cors-origins', '', {
    name: 'WEFT_CORS_ORIGINS',
    group: 'Address',
    placeholder: 'ORIGINS',
    read: read.origin,
    description: 'Origins of other web pages that may call Weft from a browser, separated by commas.',
  }),
} as const;
