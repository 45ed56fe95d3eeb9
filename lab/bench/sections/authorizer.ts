import { functionSettings } from '../../../contract/function-settings.ts';
import { settingsVariables } from '../../../contract/read-settings.ts';
import { publicJwkFromSpki } from '../../../core/signing-key/public-jwk.ts';
import type { Backend } from '../backend/backend.ts';
import { buildFunction, buildUsualWay } from '../build.ts';
import { expectStatus, invokeOnce } from '../measure.ts';
import type { SampleOptions } from '../sample.ts';
import { backendEnvironment, config, createEvent, createItems, settings } from '../scenario.ts';
import { tokenEvent } from './token.ts';

/** A token of our own token function, for an issuer whose JWKS the backend serves. */
async function issueToken(backend: Backend, runtime: string): Promise<string> {
  await backend.command({ items: createItems(backend) });
  const own = settingsVariables({ ...settings.token, issuer: backend.issuer });
  const target = {
    bundle: buildFunction('token'),
    environment: { ...backendEnvironment(backend), ...own },
    event: tokenEvent(),
    check: expectStatus(200),
  };
  const { body } = (await invokeOnce(target, runtime)) as { readonly body: string };
  return (JSON.parse(body) as { readonly access_token: string }).access_token;
}

export function createAuthorizerEvent(token: string): unknown {
  const event = createEvent({
    method: 'GET',
    path: '/messages',
    headers: ['Authorization', `Bearer ${token}`],
  });
  const methodArn = 'arn:aws:execute-api:us-west-2:000000000000:abcdefghij/prod/GET/messages';
  return { ...event, type: 'REQUEST', methodArn };
}

function expectAllow(payload: unknown): void {
  const text = JSON.stringify(payload);
  if (!text.includes('"Effect":"Allow"')) throw new Error(`the authorizer answered ${text}`);
}

export function authorizerEnvironment(backend: Backend): Readonly<Record<string, string>> {
  return {
    ...backendEnvironment(backend),
    ...settingsVariables(
      functionSettings.authorizer({
        issuer: backend.issuer,
        tables: config.name,
        audiences: [config.defaultAudience],
        requiredScopes: { 'GET /messages': 'messaging:view' },
        resultCacheTtl: 0,
      }),
    ),
  };
}

/** The authorizer with a token of its own issuer, and the floor of a verified token. */
export async function createAuthorizerTargets({
  backend,
  runtime,
}: Pick<SampleOptions, 'backend' | 'runtime'>) {
  const token = await issueToken(backend, runtime);
  const jwk = publicJwkFromSpki(Buffer.from(backend.publicSpki, 'base64'), 'RS256');
  const common = {
    environment: { ...authorizerEnvironment(backend), BENCH_JWKS: JSON.stringify({ keys: [jwk] }) },
    event: createAuthorizerEvent(token),
    check: expectAllow,
  };
  return {
    ours: { ...common, bundle: buildFunction('authorizer') },
    floor: {
      ...common,
      bundle: buildUsualWay('verify', 'lab/bench/reference/verify-authorizer.ts'),
    },
  };
}
