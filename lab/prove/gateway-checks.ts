import { createRemoteJWKSet, customFetch, jwtVerify } from 'jose';
import { maxTokenFormBytes } from '../../contract/bounds.ts';
import { functionName } from '../../contract/function-names.ts';
import { gatewayErrors } from '../../contract/gateway-errors.ts';
import { healthPath, openidConfigurationPath } from '../../contract/routes.ts';
import { eventually } from './clean.ts';
import { type Check, expect, getToken, requestToken, secondsSince, type World } from './world.ts';

/** API Gateway may invoke each function, and the answers are those of the functions. */
export const routesAnswer: Check = async (world) => {
  for (const path of [healthPath, openidConfigurationPath]) {
    const { status } = await world.fetch(world.issuer + path);
    expect(status === 200, `${path}: ${status}`);
  }
  const { status } = await world.fetch(world.tokenUrl);
  expect(status === 405, `GET of the token path: ${status}`);
  const keys = createRemoteJWKSet(new URL(world.jwksUri), { [customFetch]: world.fetch });
  const { issuer, audience } = world;
  const claims = { typ: 'at+jwt', issuer, audience };
  const { protectedHeader } = await jwtVerify(await getToken(world), keys, claims);
  return { algorithm: protectedHeader.alg };
};

/** A log group of the templates. */
export function logGroupOf({ logGroups }: World, name: RegExp): string {
  const found = logGroups.find((one) => name.test(one));
  if (found === undefined) throw new Error(`no log group has a name like ${name.source}`);
  return found;
}

/** Lines of the last hour, when there are some. */
export async function findLines(world: World, group: RegExp, text: string, minutes: number) {
  const logGroupName = logGroupOf(world, group);
  const search = { logGroupName, filterPattern: `"${text}"`, startTime: world.clock() - 3_600_000 };
  return eventually(world, `a line with ${text} in ${logGroupName}`, minutes, async () => {
    const { events = [] } = await world.aws().logs.filterLogEvents(search);
    return events.length > 0 && events.map(({ message = '' }) => message);
  });
}

/** EventBridge's and Lambda's permissions: what runs by itself has run. */
export const schedulesRun: Check = async (world) => {
  const startedAt = world.clock();
  for (const name of ['key-rotation', 'canary', 'synthetic-check'] as const) {
    await findLines(world, new RegExp(`/${functionName(world.name, name)}$`), 'REPORT', 11);
  }
  return { 'all had run after s': secondsSince(world, startedAt) };
};

/** The access log has the request, and not its credential. */
export const accessLog: Check = async (world) => {
  const { headers } = await requestToken(world);
  const requestId = headers.get('x-amzn-requestid') ?? '';
  expect(requestId !== '', 'the response has no x-amzn-requestid');
  const [line = ''] = await findLines(world, /^\/aws\/apigateway\/.*\/access$/, requestId, 5);
  expect(!line.includes(world.client.clientSecret), 'the access log has the secret');
  const { tls_version: version, cipher_suite: suite } = JSON.parse(line) as Record<string, string>;
  return { 'TLS of the log': `${version} ${suite}` };
};

/** Old versions and ciphers are refused; the key exchange may be post-quantum. */
export const tls: Check = async (world) => {
  const { host } = new URL(world.issuer);
  const hybrid = { minVersion: 'TLSv1.3', ecdhCurve: 'X25519MLKEM768' } as const;
  const newest = await world.shakeHands(host, hybrid);
  const older = await world.shakeHands(host, { maxVersion: 'TLSv1.2' });
  expect(older.startsWith('ECDHE-'), `TLS 1.2 agreed on ${older}`);
  // Security level 0 lets this machine offer what the server must refuse.
  const refused = [
    { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
    { maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256:AES256-SHA@SECLEVEL=0' },
  ] as const;
  for (const offer of refused) {
    const taken = await world.shakeHands(host, offer).catch(() => undefined);
    expect(taken === undefined, `took ${taken} of ${offer.maxVersion}`);
  }
  return { 'TLS 1.3, X25519MLKEM768': newest, 'TLS 1.2': older };
};

async function expectError(response: Response, type: string, status: number): Promise<void> {
  const body = await response.text();
  const own = gatewayErrors.find((error) => error.type === type)?.body;
  expect(response.status === status && body === JSON.stringify(own), `${response.status}: ${body}`);
}

/** Requests for a document, all at once. */
export function flood(world: World, requests: number): Promise<readonly Response[]> {
  const url = world.issuer + openidConfigurationPath;
  return Promise.all(Array.from({ length: requests }, () => world.fetch(url)));
}

/** More than the throttle at once: some get 429, with the service's body. */
export const throttle: Check = async (world) => {
  const refused = (await flood(world, 150)).filter(({ status }) => status !== 200);
  expect(refused.length > 0, 'none of 150 requests at once was throttled');
  for (const response of refused) await expectError(response, 'THROTTLED', 429);
  return { 'refused of 150': refused.length };
};

/** WAF stops a form that is too long, and writes it to its log without the credential. */
export const webAcl: Check = async (world) => {
  const body = new URLSearchParams({ filler: 'x'.repeat(maxTokenFormBytes + 1) });
  await expectError(await requestToken(world, world.tokenUrl, { body }), 'WAF_FILTERED', 403);
  const [line = ''] = await findLines(world, /^aws-waf-logs-/, 'body-size', 10);
  expect(!/Basic [A-Za-z0-9+/]{12}/.test(line), "the web ACL's log has the credential");
  return {};
};

/** API Gateway's JWT authorizer takes a token, and refuses one with another signature. */
export const jwtAuthorizer: Check = async (world) => {
  const token = await getToken(world);
  const call = async (bearer: string) => {
    const headers = { authorization: `Bearer ${bearer}` };
    return (await world.fetch(world.probe['JwtApi'] ?? '', { headers })).status;
  };
  const statuses = [await call(token), await call(`${token.slice(0, -8)}AAAAAAAA`)];
  expect(String(statuses) === '200,401', `a token and a forged one got ${String(statuses)}`);
  return {};
};
