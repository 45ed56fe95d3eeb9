import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import {
  maxAudienceLength,
  maxClientIdLength,
  maxScopeBytes,
  maxTokenBytes,
  maxTokenLifetime,
  preflightMaxAge,
} from '../../contract/bounds.ts';
import {
  methodNotAllowedBody,
  notFoundBody,
  serverErrorBody,
  unavailableBody,
  unsupportedResponseTypeBody,
} from '../../contract/error-body.ts';
import { gatewayErrors } from '../../contract/gateway-errors.ts';
import { regionIds } from '../../contract/regions.ts';
import { routes } from '../../contract/routes.ts';
import { algs } from '../../contract/signing-algorithms.ts';
import { OAuthError, type OAuthErrorReason, oauthErrorTexts } from '../../core/oauth-error.ts';
import { OpenapiSchemas, openapiPath, readOpenapi } from '../support/openapi.ts';

const document = readOpenapi();
const schemas = new OpenapiSchemas();

const refusals = (Object.keys(oauthErrorTexts) as OAuthErrorReason[]).map(
  (reason) => new OAuthError(reason),
);

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort();
}

function bodiesOf(response: string): readonly string[] {
  const { content } = document.components.responses[response] ?? {};
  const examples = Object.values(content?.['application/json']?.examples ?? {});
  return unique(examples.map(({ value }) => JSON.stringify(value)));
}

function refusalBodies(status: number): readonly string[] {
  return unique(
    refusals
      .filter((error) => error.status === status)
      .map(({ code, description }) =>
        JSON.stringify({ error: code, error_description: description }),
      ),
  );
}

function gatewayBody(type: string): readonly string[] {
  return [JSON.stringify(gatewayErrors.find((error) => error.type === type)?.body)];
}

/** Every schema of the document that has `const` or `enum`. */
function schemasIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (typeof value !== 'object' || value === null) return [];
  const nested = Object.values(value).flatMap(schemasIn);
  const isClosed = 'const' in value || ('enum' in value && Array.isArray(value.enum));
  return isClosed ? [value, ...nested] : nested;
}

describe('docs/openapi.yaml', () => {
  it('is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator();
    const result = await validator.validate(openapiPath);
    expect(result.errors ?? []).toEqual([]);
    expect(validator.version).toBe('3.1');
  });

  // Generators of clients make nothing, or `any`, of a constant without a type.
  it('has a type for each constant and each list of values, which are no lists themselves', () => {
    const untyped = schemasIn([document.paths, document.components]).filter(
      ({ type, const: constant }) => typeof type !== 'string' || typeof constant === 'object',
    );
    expect(schemasIn([document.paths, document.components]).length).toBeGreaterThan(20);
    expect(untyped).toEqual([]);
  });

  it('has the documented routes and their methods, and no others', () => {
    const documented = Object.entries(document.paths).map(([path, operations]) => [
      path,
      Object.keys(operations).map((method) => method.toUpperCase()),
    ]);
    const expected = routes.filter((route) => route.documented);
    expect(documented).toEqual(expected.map(({ path, methods }) => [path, methods]));
  });

  it('says of every operation whether it needs a credential', () => {
    const needing = Object.values(document.paths)
      .flatMap((operations) => Object.values(operations))
      .filter((operation) => operation.security.length > 0);
    expect(needing.map(({ operationId }) => operationId)).toEqual(['createToken']);
  });

  it('has the error codes of the token endpoint and of the gateway, and no others', () => {
    const sent = [
      ...refusals.map(({ code }) => code),
      ...gatewayErrors.map(({ body }) => body.error),
      ...[
        serverErrorBody,
        unavailableBody,
        notFoundBody,
        methodNotAllowedBody,
        unsupportedResponseTypeBody,
      ].map(({ error }) => error),
    ];
    const { properties } = document.components.schemas['Error'] ?? {};
    expect(unique(properties?.['error']?.enum ?? [])).toEqual(unique(sent));
  });

  it.each([
    ['TokenRequestRefused', refusalBodies(400)],
    ['ClientAuthenticationFailed', refusalBodies(401)],
    ['AuthorizationRefused', [JSON.stringify(unsupportedResponseTypeBody)]],
    ['NotFound', [JSON.stringify(notFoundBody)]],
    ['MethodNotAllowed', [JSON.stringify(methodNotAllowedBody)]],
    ['ServerError', [JSON.stringify(serverErrorBody)]],
    ['Unavailable', [JSON.stringify(unavailableBody)]],
    ['Refused', gatewayBody('WAF_FILTERED')],
    ['TooManyRequests', gatewayBody('THROTTLED')],
    ['HeadersTooLarge', gatewayBody('DEFAULT_4XX')],
    ['Timeout', gatewayBody('INTEGRATION_TIMEOUT')],
  ])('shows every body of %s, word for word', (response, bodies) => {
    expect(bodiesOf(response), 'run npm run refusals').toEqual(bodies);
  });

  it('has examples that are as their schemas say', () => {
    const problems = Object.entries(document.components.responses).flatMap(
      ([name, { content = {} }]) =>
        Object.values(content).flatMap(({ schema, examples = {} }) => {
          const validate = schemas.validatorOf(schema.$ref);
          return Object.entries(examples)
            .filter(([, { value }]) => !validate(value))
            .map(([example]) => `${name}: ${example}`);
        }),
    );
    expect(problems).toEqual([]);
  });

  it('has the limits, regions and algorithms of the contract', () => {
    const { schemas: all, headers } = document.components;
    expect(all).toMatchObject({
      Alg: { enum: algs },
      TokenRequest: {
        properties: {
          scope: { maxLength: maxScopeBytes },
          resource: { maxLength: maxAudienceLength },
          client_id: { maxLength: maxClientIdLength },
        },
      },
      TokenResponse: {
        properties: {
          access_token: { maxLength: maxTokenBytes },
          expires_in: { maximum: maxTokenLifetime },
        },
      },
    });
    expect(headers['PreflightMaxAge']?.schema).toMatchObject({ const: String(preflightMaxAge) });
    expect(document.servers[1]?.variables).toMatchObject({ region: { enum: regionIds } });
    expect(Object.keys(all['Metadata']?.properties?.['regional_token_endpoints'] ?? {})).toContain(
      'properties',
    );
  });
});
