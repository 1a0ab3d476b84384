// Where RabbitMQ is and who asks, taken from a URL; the label is the part that may be shown.
import { serverAddresses } from '@weft/contract/server-addresses';
import type { Options } from 'amqplib';

export interface AmqpAddress {
  label: string;
  protocol: 'amqp' | 'amqps';
  hostname: string;
  port: number;
  username: string;
  password: string;
  /** As it is written in the URL. */
  vhost: string;
}

/** The nodes of a cluster, or the one server. Throws, without repeating it, if it is no such URL. */
export function parseAmqpAddresses(text: string): AmqpAddress[] {
  return serverAddresses(text).map(parseAmqpAddress);
}

function parseAmqpAddress(text: string): AmqpAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['amqp:', 'amqps:'].includes(url.protocol) || url.hostname === '') {
    throw new Error('The address of RabbitMQ must have the form amqp://user:password@host:port/vhost');
  }
  const protocol = url.protocol === 'amqps:' ? 'amqps' : 'amqp';
  const port = Number(url.port) || (protocol === 'amqps' ? 5671 : 5672);
  const hasLogin = url.username !== '' || url.password !== '';
  return {
    label: `${url.hostname}:${port}${url.pathname || '/'}`,
    protocol,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port,
    username: hasLogin ? decodeText(url.username) : 'guest',
    password: hasLogin ? decodeText(url.password) : 'guest',
    vhost: url.pathname.slice(1),
  };
}

export function toConnectOptions(address: AmqpAddress, heartbeat: number): Options.Connect {
  const { protocol, hostname, port, username, password, vhost } = address;
  return { protocol, hostname, port, username, password, vhost, heartbeat };
}

/** A stray percent sign stands for itself. */
function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
