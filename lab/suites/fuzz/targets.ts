import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { isJsonObject } from '../../../contract/json-object.ts';
import { tokenPath } from '../../../contract/routes.ts';
import { UnavailableError } from '../../../core/errors.ts';
import { BearerRefusal } from '../../../core/verifier/bearer-refusal.ts';
import { createAuthorizerFunction } from '../../../lambda/authorizer/function.ts';
import type { RequestReport } from '../../../lambda/shared/telemetry.ts';
import { createTokenFunction } from '../../../lambda/token/function.ts';
import { parseJsonObject } from '../../emulator/request-body.ts';
import { clientIdOf, makeClient, secretValueOf } from '../../support/clients.ts';
import { lambdaContext, type ProxyRequest, proxyEvent } from '../../support/proxy-event.ts';
import { makeSigningKey, signWithKeys } from '../../support/signing-keys.ts';
import { signToken } from '../../support/test-issuer.ts';
import { basic } from '../../support/token-request.ts';
import { tokenEnvironment } from '../../support/token-settings.ts';
import * as verifier from '../../support/verifier-world.ts';
import { BrokenPromiseError, expectThat, type FuzzTarget, refusedBy } from './fuzz-target.ts';
import { parserTargets } from './parser-targets.ts';

/** Is added to everything that a caller sends, and must not occur in any log line. */
const marker = 'cAnArY7f3a';

const signer = makeSigningKey('ES256');
const client = makeClient();
const authorization = basic(clientIdOf(1), secretValueOf(1));
const form = 'application/x-www-form-urlencoded';

/** One request's log line. Takes part in the oracle, and is kept no longer. */
function watch(report: RequestReport): void {
  const line = JSON.stringify({ ...report, measures: [...(report.measures ?? [])] });
  expectThat(!line.includes(marker), 'a log line has what a caller sent');
}

const clock = (): number => verifier.now * 1000;

const token = createTokenFunction(
  tokenEnvironment,
  {
    clients: { findClient: async (id) => (id === client.clientId ? client : undefined) },
    uses: { recordUse: async () => {} },
    signingKeys: { listSigningKeys: async () => [signer.key] },
    sign: signWithKeys(signer),
  },
  { clock, telemetry: { report: watch } },
);

async function ask(request: ProxyRequest): Promise<void> {
  const event = proxyEvent({ receivedAt: clock(), ...request });
  const { statusCode, body } = await token(event, lambdaContext());
  expectThat(statusCode < 500, `the answer is ${statusCode}`);
  expectThat(!body.includes(marker), 'a response has what a caller sent');
  if (body !== '') JSON.parse(body);
}

function postToken(
  authorizationHeader: string,
  body: string | Uint8Array,
  more: ProxyRequest['headers'] = {},
): Promise<void> {
  const headers = { 'Content-Type': form, Authorization: [authorizationHeader], ...more };
  return ask({ method: 'POST', path: tokenPath, body, headers });
}

const world = verifier.createWorld();
const authorizer = createAuthorizerFunction(
  {
    issuer: verifier.issuer,
    jwksUri: `${verifier.issuer}/.well-known/jwks.json`,
    audiences: [verifier.audience],
    defaultAudience: verifier.audience,
    requiredScopes: { 'GET /messages': 'messaging:view' },
    resultCacheTtl: 0,
  } as never,
  world.ports,
  { clock, telemetry: { report: watch } },
);

function authorizerEvent(data: Buffer): APIGatewayRequestAuthorizerEvent {
  const event = proxyEvent({
    path: '/messages',
    headers: { Authorization: `Bearer ${data.toString('latin1')}`, Cookie: marker },
  });
  return {
    ...event,
    type: 'REQUEST',
    methodArn: 'arn:aws:execute-api:us-west-2:123456789012:a/v1/GET/messages',
    requestContext: { ...event.requestContext, resourcePath: '/messages' },
  } as never;
}

/**
 * Everything that bytes from outside reach, by name. Whole functions never answer 5xx, and write no
 * log line with what a caller sent.
 */
export const targets: Readonly<Record<string, FuzzTarget>> = {
  ...parserTargets,
  token_body: {
    seeds: ['grant_type=client_credentials', 'grant_type=client_credentials&scope=messaging:view'],
    run: (data) => postToken(authorization, new Uint8Array(data), { 'User-Agent': marker }),
  },
  token_authorization: {
    seeds: [authorization, 'Basic Og==', 'Bearer x'],
    run: (data) =>
      postToken(data.toString('latin1'), `grant_type=client_credentials&x=${marker}`, {
        [marker]: marker,
      }),
  },
  token_credentials: {
    seeds: [`${clientIdOf(1)}:${secretValueOf(1)}`, `${clientIdOf(1)}:x`, 'a%3A:b', ':'],
    run: (data) => {
      const credentials = Buffer.concat([data, Buffer.from(marker)]).toString('base64');
      return postToken(`Basic ${credentials}`, 'grant_type=client_credentials');
    },
  },
  token_event: {
    seeds: [
      JSON.stringify(
        proxyEvent({ receivedAt: clock(), path: tokenPath, method: 'POST', body: 'grant_type=x' }),
      ),
      '{"multiValueHeaders":{"Content-Type":["a",null]},"isBase64Encoded":true,"body":"%%"}',
    ],
    run: async (data) => {
      const given = parseJsonObject(data);
      if (given === undefined || 'action' in given) return;
      // API Gateway writes the context itself; everything else is a caller's.
      const base = proxyEvent({ receivedAt: clock(), path: tokenPath, method: 'POST' });
      const { multiValueHeaders, body, httpMethod } = given as Partial<APIGatewayProxyEvent>;
      const event = {
        ...base,
        ...(isHeaders(multiValueHeaders) && { multiValueHeaders }),
        ...(typeof body === 'string' && { body }),
        ...(typeof httpMethod === 'string' && { httpMethod }),
        isBase64Encoded: (given as Partial<APIGatewayProxyEvent>).isBase64Encoded === true,
      };
      const { statusCode } = await token(event, lambdaContext());
      expectThat(statusCode < 500, `the answer is ${statusCode}`);
    },
  },
  bearer: {
    seeds: [
      signToken(verifier.ownKey, verifier.ownClaims),
      signToken(verifier.providerKey, verifier.providerClaims, { typ: 'JWT' }),
      verifier.apiKeyValue,
      'a.b.c',
    ],
    run: async (data) => {
      const verified = await world
        .verify(`Bearer ${data.toString('latin1')}`)
        .catch(refusedBy(BearerRefusal, UnavailableError));
      const isForeign = verified !== undefined && !knownCredentials.has(data.toString('latin1'));
      if (isForeign) throw new BrokenPromiseError('a credential is accepted that no one issued');
    },
  },
  authorizer: {
    seeds: [signToken(verifier.ownKey, verifier.ownClaims), verifier.apiKeyValue, marker],
    run: async (data) => {
      try {
        await authorizer(authorizerEvent(data), lambdaContext());
      } catch (error) {
        // API Gateway makes 401 of this and 500 of everything else.
        const isRefusal = error instanceof Error && error.message === 'Unauthorized';
        if (!isRefusal) throw error;
      }
    },
  },
};

function isHeaders(value: unknown): value is Record<string, string[]> {
  return (
    isJsonObject(value) &&
    Object.values(value).every(
      (values) => Array.isArray(values) && values.every((one: unknown) => typeof one === 'string'),
    )
  );
}

/** ES256 signatures come in two valid forms of each; the seeds are all that was ever issued. */
const knownCredentials: ReadonlySet<string> = new Set(targets['bearer']?.seeds);
