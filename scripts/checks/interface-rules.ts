// What both interface documents must satisfy: the validators that their readers use. Redocly and Spectral read OpenAPI,
// the parser of AsyncAPI and Spectral read AsyncAPI.
import { Parser } from '@asyncapi/parser';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import { asyncapi, oas } from '@stoplight/spectral-rulesets';

export interface InterfaceDocuments {
  openApi: object;
  asyncApi: object;
}

interface Diagnostic {
  code: string | number;
  message: string;
  path: (string | number)[];
  /** 0 is an error, 1 a warning; the rest is advice. */
  severity: number;
}

/** One line for each error and warning. */
export async function interfaceProblems({ openApi, asyncApi }: InterfaceDocuments): Promise<string[]> {
  const openText = JSON.stringify(openApi);
  const asyncText = JSON.stringify(asyncApi);
  const found = [
    await redocly(openText),
    await spectral('openapi.json', openText, oas, {
      'oas3-parameter-description': 'warn',
      // The specification writes some of its paths so.
      'path-keys-no-trailing-slash': 'off',
    }),
    // Who operates a Weft, Weft does not know.
    await spectral('asyncapi.json', asyncText, asyncapi, { 'asyncapi-info-contact-properties': 'off' }),
    lines('asyncapi.json, AsyncAPI parser', await new Parser().validate(asyncText)),
  ];
  return found.flat();
}

async function redocly(text: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'], rules: { 'no-path-trailing-slash': 'off' } });
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
  return problems.map(
    ({ ruleId, message, location: [at] }) => `openapi.json, Redocly: ${at?.pointer}: ${message} (${ruleId})`,
  );
}

async function spectral(
  name: string,
  text: string,
  base: object,
  rules: Record<string, 'off' | 'warn'>,
): Promise<string[]> {
  const linter = new spectralCore.Spectral();
  // Its own rulesets do not have the type that it asks for.
  linter.setRuleset({ extends: [[base as spectralCore.RulesetDefinition, 'recommended']], rules });
  return lines(`${name}, Spectral`, await linter.run(text));
}

function lines(source: string, diagnostics: Diagnostic[]): string[] {
  return diagnostics
    .filter(({ severity }) => severity <= 1)
    .map(({ path, message, code }) => `${source}: ${path.join('.')}: ${message} (${code})`);
}
