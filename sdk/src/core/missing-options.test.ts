// What a program is told that forgot an option, or whose environment lacks a setting.
import { expect, test } from 'vitest';
import { Agent, App } from '../index.ts';

const url = 'http://127.0.0.1:8000';

test.each([
  [{}, /^App needs these options: url \(where Weft is, .*\); name and key of an app, username and password, or token$/],
  [undefined, /^App needs these options: url/],
  [{ url }, /^App needs these options: name and key/],
  [{ url, name: 'saver' }, /^App needs these options: key$/],
  [{ url, username: 'ada@example.org', password: undefined }, /^App needs these options: password$/],
  [{ url, token: undefined }, /^App needs these options: token$/],
  [{ url: undefined, name: 'saver', key: 'k' }, /^App needs these options: url \(/],
])('App %j', (options, message) => {
  expect(() => new App(options as never)).toThrow(
    expect.objectContaining({ name: 'TypeError', message: expect.stringMatching(message) }),
  );
});

test.each([
  [{}, /^Agent needs these options: url \(.*\); ap_id; password$/],
  [{ url, ap_id: 'roof-1' }, /^Agent needs these options: password$/],
])('Agent %j', (options, message) => {
  expect(() => new Agent(options as never)).toThrow(
    expect.objectContaining({ name: 'TypeError', message: expect.stringMatching(message) }),
  );
});

test('an address that no request could be sent to is refused at once', () => {
  for (const url of ['weft.example.org', 'weft.example.org:8000', '/weft', 'http:/x', 'ftp://weft.example.org']) {
    expect(() => new App({ url, token: 'a' })).toThrow('url should begin with http:// or https://');
    expect(() => new Agent({ url, ap_id: 'a', password: 'b' })).toThrow('url should begin with http:// or https://');
  }
});
