// The health check of the image: exit code 0 if this Weft serves, as its own settings in the environment say where.
import { request as plain } from 'node:http';
import { request as encrypted } from 'node:https';

Object.preventExtensions(Object.prototype);
const { WEFT_HOST = '127.0.0.1', WEFT_PORT = '8000', WEFT_TLS_CERT } = process.env;
const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[WEFT_HOST] ?? WEFT_HOST;
const options = { host, port: WEFT_PORT, path: '/readyz?for=traffic', timeout: 4000 };
// The certificate is for the name by which others come.
const ask = WEFT_TLS_CERT ? encrypted({ ...options, rejectUnauthorized: false }) : plain(options);
ask.on('response', ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1));
ask.on('timeout', () => process.exit(1));
ask.on('error', () => process.exit(1));
ask.end();
