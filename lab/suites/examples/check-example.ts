import assert from 'node:assert/strict';
import { join } from 'node:path';
import { createDynamoDbSigningKeyStore } from '../../../adapters/dynamodb/stores/rotation-store.ts';
import { createKmsSign } from '../../../adapters/kms/sign-with-key.ts';
import { tableName } from '../../../contract/tables.ts';
import type { Sign } from '../../../core/signing-key/sign-jws.ts';
import type { SigningKey } from '../../../core/signing-key/signing-key.ts';
import type { LocalRun } from '../../local/start-local.ts';
import { readRunConfig } from '../../local/state.ts';
import { startBesideCheck } from '../../support/api-beside-check.ts';
import { createAwsClients } from '../../support/aws-clients.ts';
import { type Command, type CommandResult, runCommand } from '../../support/run-command.ts';
import { startApi } from '../../support/spring-boot.ts';
import { encodeJson } from '../../support/test-issuer.ts';
import { fetchToken } from '../../support/token-request.ts';
import type { Example } from './catalogue.ts';
import { checkCallers } from './check-callers.ts';
import type { World } from './world.ts';

type Variables = Readonly<Record<string, string>>;

function run(command: Command, world: World, variables: Variables): Promise<CommandResult> {
  return runCommand(command, { environment: { ...world.environment, ...variables } });
}

async function expectCalls(
  command: Command,
  world: World,
  variables: Variables,
  isExpected: (tokenRequests: number) => boolean,
): Promise<void> {
  world.takeTokenRequests();
  const { code, output } = await run(command, world, variables);
  assert.equal(code, 0, output);
  const line = `GET ${world.environment['EXAMPLE_URL']} 200`;
  assert.equal(output.split(line).length - 1, 2, `two calls with 200, received:\n${output}`);
  const asked = world.takeTokenRequests();
  assert.ok(isExpected(asked), `two calls took ${asked} token requests:\n${output}`);
}

/** One token serves both calls, except if it would expire before the next is fetched. */
async function checkGetToken(
  command: Command,
  world: World,
  { prepareCallers }: Example,
): Promise<void> {
  const cache = (name: string): Variables => ({
    TOKEN_CACHE: join(world.service.paths.directory, name),
  });
  await expectCalls(command, world, cache('long-lived'), (asked) => asked === 1);
  const shortLived = { ...cache('short-lived'), ...world.shortLived };
  // One that fetches a token when it starts fetches another for each call.
  await expectCalls(command, world, shortLived, (asked) => asked >= 2);
  if (prepareCallers !== undefined) await checkCallers(prepareCallers);
}

type Json = Readonly<Record<string, unknown>>;

function decode(part: string | undefined): Json {
  return JSON.parse(Buffer.from(part ?? '', 'base64url').toString()) as Json;
}

/** The key that signs, and KMS: both as the service uses them. */
async function openSigning(service: LocalRun): Promise<{ key: SigningKey; sign: Sign }> {
  const aws = createAwsClients(service.aws);
  const table = tableName(readRunConfig(service.paths).name, 'signingKeys');
  const keys = await createDynamoDbSigningKeyStore(aws.dynamodb, table).listSigningKeys();
  const key = keys.find(({ state }) => state === 'current');
  if (key === undefined) throw new Error('the service has no current signing key');
  return { key, sign: createKmsSign(aws.kms) };
}

/**
 * Tokens that every verifier must refuse, each signed with the service's own key if a
 * signature can be had: only the checks of the example stand between them and the API.
 *
 * @param token a good token, of which these are variations.
 */
async function makeRefusedTokens(
  service: LocalRun,
  token: string,
): Promise<ReadonlyMap<string, string>> {
  const { key, sign } = await openSigning(service);
  const [headerPart, payloadPart, signature = ''] = token.split('.');
  const header = decode(headerPart);
  const payload = decode(payloadPart);
  const signed = async (otherHeader: Json, otherPayload: Json): Promise<string> => {
    const input = `${encodeJson({ ...header, ...otherHeader })}.${encodeJson({ ...payload, ...otherPayload })}`;
    const bytes = await sign(key, Buffer.from(input));
    return `${input}.${Buffer.from(bytes).toString('base64url')}`;
  };
  const hourAgo = Math.floor(Date.now() / 1000) - 3600;
  return new Map([
    ['another audience', await signed({}, { aud: 'https://other.example.com' })],
    ['another issuer', await signed({}, { iss: 'https://other.example.com' })],
    ['expired', await signed({}, { iat: hourAgo - 60, exp: hourAgo })],
    ['without expiry', await signed({}, { exp: undefined })],
    ['not an access token (typ)', await signed({ typ: 'JWT' }, {})],
    ['changed', `${headerPart}.${encodeJson({ ...payload, scope: 'admin' })}.${signature}`],
    ['unsigned (alg none)', `${encodeJson({ typ: 'at+jwt', alg: 'none' })}.${payloadPart}.`],
    ['no JWT', 'not-a-token'],
  ]);
}

/** A good token is accepted, and none of those that only its signature makes look good. */
async function checkVerifyToken(command: Command, world: World): Promise<void> {
  const token = await fetchToken(world.service.tokenUrl, world.service, {
    scope: 'messaging:view',
  });
  const good = await run(command, world, { ACCESS_TOKEN: token });
  assert.equal(good.code, 0, good.output);
  assert.match(good.output, new RegExp(world.service.clientId));
  for (const [what, bad] of await makeRefusedTokens(world.service, token)) {
    const { code, output } = await run(command, world, { ACCESS_TOKEN: bad });
    assert.match(output, /refused: /, `a token that is ${what} must be refused:\n${output}`);
    assert.equal(code, 1, `a token that is ${what}`);
  }
}

async function expectStatus(
  status: number,
  url: string,
  what: string,
  request: { readonly method?: string; readonly token?: string },
): Promise<string> {
  const { method = 'GET', token } = request;
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(url, { method, headers });
  const challenge = response.headers.get('www-authenticate') ?? '';
  const body = await response.text();
  assert.equal(response.status, status, `${what}: ${challenge} ${body}`);
  return body + challenge;
}

/** Each request gets the response of RFC 6750: 200, 401 for a bad token, 403 for a missing scope. */
async function checkProtectApi(
  command: Command,
  world: World,
  { name, asksForwardAuth }: Example,
): Promise<void> {
  const [view, manage] = await Promise.all(
    ['messaging:view', 'messaging:manage'].map((scope) =>
      fetchToken(world.service.tokenUrl, world.service, { scope }),
    ),
  );
  assert.ok(view !== undefined && manage !== undefined);
  const running = asksForwardAuth
    ? await startBesideCheck(command, world.environment)
    : await startApi(command, world.environment);
  const { url } = running;
  try {
    const body = await expectStatus(200, url, 'a good token', { token: view });
    assert.match(body, new RegExp(world.service.clientId));
    await expectStatus(200, url, 'the scope to send', { method: 'POST', token: manage });
    const lacks = await expectStatus(403, url, 'no scope to send', { method: 'POST', token: view });
    assert.match(lacks, /insufficient_scope/);
    await expectStatus(401, url, 'no token', {});
    for (const [what, token] of await makeRefusedTokens(world.service, view)) {
      assert.match(await expectStatus(401, url, what, { token }), /invalid_token/, what);
    }
    if (asksForwardAuth === undefined && !name.includes('the verifier')) return;
    const key = world.environment['API_KEY'] ?? '';
    assert.match(
      await expectStatus(200, url, 'an API key', { token: key }),
      /"credential":"api_key"/,
    );
    await expectStatus(401, url, 'half an API key', { token: key.slice(0, -1) });
  } finally {
    await running.close();
  }
}

const checks = {
  'get-token': checkGetToken,
  'verify-token': checkVerifyToken,
  'protect-api': checkProtectApi,
} as const;

/** @throws {assert.AssertionError} if the example does not do what it shows. */
export async function checkExample(
  example: Example,
  command: Command,
  world: World,
): Promise<void> {
  await checks[example.kind](command, world, example);
}
