import { expect, test } from 'vitest';
import { looksSecret, namesSecret } from './secret-names.ts';

test.each([
  ...['password', 'Password', 'wifi_password', 'newPassword', 'passwd', 'passphrase', 'wpa-passphrase', 'passcode'],
  ...['psk', 'wpa_psk', 'psk2', 'PSK', 'pwd', 'token', 'access_token', 'accessToken', 'refresh.token', 'api_key'],
  ...['apiKey', 'apikey', 'private_key', 'wep_key_1', 'secret', 'client_secret', 'credentials', 'ssh_keys'],
  ...['pSk', 'PassWord', 'pass', 'wifi_pass', 'pin', 'PIN', 'simPin', 'pin_code'],
])('%s is a credential', (name) => expect([looksSecret(name), namesSecret(name)]).toEqual([true, true]));

test.each([
  ...['dbm', 'channel', 'text', 'keyboard', 'monkey', 'key_size', 'token_bucket_rate', 'tokenize', 'passive', 'ssid'],
  ...['high_pass', 'bypass', 'self_test_pass', 'gpio_pin', 'ping', 'public_key', 'wg_publicKey'],
])('%s is not', (name) => expect([looksSecret(name), namesSecret(name)]).toEqual([false, false]));

test.each(['password_policy', 'secret_rotation', 'key', 'keys', 'tag key', 'sort_key'])(
  '%s is about one, and a report may have it',
  (name) => expect([looksSecret(name), namesSecret(name)]).toEqual([true, false]),
);
