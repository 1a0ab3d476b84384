import { describe, expect, it } from 'vitest';
import * as core from './index.ts';
import * as lab from './lab/index.ts';
import * as operations from './operations/index.ts';

const contract = { ...core, ...operations, ...lab };

const schemas = Object.entries(contract)
  .filter(([, schema]) => typeof schema === 'object' && !Array.isArray(schema))
  .map(([name, schema]) => [name, schema as { title?: string }] as const);

describe('every schema', () => {
  it.each(schemas)('%s has its own name as title', (name, schema) => {
    expect(schema.title).toBe(name);
  });

  it.each(schemas)(
    '%s is plain JSON Schema: nothing is lost on the wire, nothing refers elsewhere',
    (_name, schema) => {
      const text = JSON.stringify(schema);
      expect(text).not.toMatch(/"(?:\$id|\$ref|~[a-z]+)"/);
      const keywords = new Set([...text.matchAll(/"(type|const|enum|anyOf|properties|patternProperties)":/g)]);
      expect(keywords.size).toBeGreaterThan(0);
    },
  );
});

it.each([
  'AppPermissions',
  'EmulatorSpinupRequest',
  'EnrolmentToken',
  'EnrolmentTokenCreate',
  'ErrorAnswer',
  'HTTPValidationError',
  'LoginType',
  'PasswordRecoveryRequest',
  'StatusAnswer',
  'ThirdPartyApp',
  'Token',
  'UserRegister',
  'ValidationError',
])('%s is there', (name) => {
  expect(Object.keys(contract)).toContain(name);
});

// The order of the fields is the order in which problems are reported.
it.each([
  [contract.TokenData, ['username', 'roles', 'scopes'], ['roles']],
  [contract.UserCreate, ['username', 'password', 'roles'], ['username', 'password', 'roles']],
  [contract.UserUpdate, ['password', 'roles'], undefined],
  [contract.PasswordReset, ['token', 'new_password'], ['token', 'new_password']],
  [
    contract.LoginForm,
    ['grant_type', 'username', 'password', 'scope', 'client_id', 'client_secret'],
    ['username', 'password'],
  ],
  [contract.Agent, ['id', 'ap_id', 'configuration'], ['id', 'ap_id', 'configuration']],
  [contract.AgentCreate, ['ap_id', 'password', 'configuration'], ['ap_id', 'password', 'configuration']],
  [contract.ThirdPartyAppCreate, ['app_name', 'api_key', 'permissions'], ['app_name', 'api_key', 'permissions']],
  [
    contract.EmulatorSpec,
    // What may be said besides stands after what must be.
    [
      'access_point_type',
      'num_access_points',
      'locations',
      'num_devices',
      'duration',
      'scenario',
      'profile',
      'mbps_per_device',
      'mix',
      'link_policy',
    ],
    ['access_point_type', 'num_access_points', 'locations', 'num_devices', 'duration'],
  ],
])('$title has its fields in the order of the specification', (schema, fields, required) => {
  expect(Object.keys(schema.properties)).toEqual(fields);
  expect((schema as { required?: string[] }).required).toEqual(required);
});
