import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NewClient } from '../../../contract/management/inputs.ts';
import { type Claims, keys, type Platform } from '../../../lab/support/platforms/platform.ts';
import { workloads } from '../../../lab/support/platforms/workloads.ts';
import { signToken } from '../../../lab/support/test-issuer.ts';
import { root } from '../../architecture/source-files.ts';
import { createTestManagement } from '../../support/management.ts';
import {
  createClient,
  explainRequest,
  inspectProvider,
  registerProvider,
} from '../../support/operations.ts';
import { identityProviders } from '../../support/platforms/identity-providers.ts';

const platforms = [...identityProviders, ...workloads];
const suffix = '.well-known/openid-configuration';

function urlOf({ document, discoveryUrl }: Platform): string {
  return discoveryUrl ?? `${document.issuer.replace(/\/$/, '')}/${suffix}`;
}

function publish(platform: Platform) {
  const test = createTestManagement();
  const { issuer, jwks_uri: jwksUri } = platform.document;
  test.documents.set(urlOf(platform), platform.document);
  test.documents.set(`${issuer.replace(/\/$/, '')}/${suffix}`, platform.document);
  test.documents.set(jwksUri, { keys: [platform.jwk(keys[platform.alg])] });
  return test;
}

function tokenOf(platform: Platform, now: number, changes: Claims = {}): string {
  const times = { iss: platform.document.issuer, iat: now, exp: now + 300 };
  const claims = { ...times, ...platform.claims, ...changes };
  return signToken(keys[platform.alg], claims, { typ: platform.typ });
}

async function createWorld(platform: Platform, choices: Partial<NewClient> = {}) {
  const test = publish(platform);
  const { context } = test;
  const { provider } = await registerProvider(context, urlOf(platform), platform.choices);
  const { client } = await createClient(context, {
    name: platform.name,
    serviceTrunkGroup: 'tg-1',
    scopes: ['calls:view'],
    provider: provider.issuer,
    ...platform.client,
    ...choices,
  });
  const decide = (changes: Claims = {}) =>
    explainRequest(context, {
      credential: tokenOf(platform, test.now, changes),
      audience: platform.client.audiences[0],
    });
  return { ...test, provider, client, decide };
}

describe.each(platforms)('$name', (platform) => {
  it('is inspected before it is registered', async () => {
    const { context, now } = publish(platform);
    const tokens = [tokenOf(platform, now)];
    const found = await inspectProvider(context, urlOf(platform), { ...platform.choices, tokens });
    expect(found).toMatchObject({ registrable: true, tokens: [{ usable: true }] });
  });

  it('is registered, and its token is the client that was created', async () => {
    const { client, decide } = await createWorld(platform);
    expect(await decide()).toMatchObject({
      accepted: true,
      verified: { clientId: client.clientId, serviceTrunkGroup: 'tg-1', scopes: ['calls:view'] },
    });
  });

  it.each(platform.refused)('refuses %s', async (_, changes, reason) => {
    const { decide } = await createWorld(platform);
    expect(await decide(changes)).toMatchObject({ accepted: false, reason });
  });

  it('refuses a token whose signature is not the provider’s', async () => {
    const { context, now } = await createWorld(platform);
    const token = tokenOf(platform, now);
    const credential = `${token.slice(0, token.lastIndexOf('.'))}.${'A'.repeat(342)}`;
    const explanation = await explainRequest(context, {
      credential,
      audience: platform.client.audiences[0],
    });
    expect(explanation).toMatchObject({ accepted: false, reason: 'token_signature_wrong' });
  });
});

const withPeople = identityProviders.filter(({ person }) => person !== undefined);

describe.each(withPeople)('a token of $name for a person', (platform) => {
  const { claims = {}, rule = ['', ''] } = platform.person ?? {};

  it('is refused through the same application, and the refusal names the rule', async () => {
    const { decide } = await createWorld(platform);
    const [name, expected] = rule;
    expect(await decide(claims)).toMatchObject({
      accepted: false,
      reason: 'client_condition_unmet',
      finding: { name, expected },
    });
  });

  it('is the client, if the client was created to allow it', async () => {
    const choices = { allowUserTokens: true, requiredClaims: undefined };
    const { client, decide } = await createWorld(platform, choices);
    expect(client.provider?.conditions).toBeUndefined();
    expect(await decide(claims)).toMatchObject({ accepted: true });
  });
});

function code(text: string): string {
  return `\`${text}\``;
}

/** One row of the table in docs/providers.md, from what registration and verification did. */
async function describeRow(platform: Platform): Promise<string> {
  const { provider, client, decide } = await createWorld(platform);
  const { verified } = await decide();
  if (verified?.credential !== 'access_token') throw new Error(`${platform.name} was refused`);
  const flags = [
    provider.clientIdClaim === undefined ? '' : `--client-id-claim ${provider.clientIdClaim}`,
    provider.audienceFrom === undefined ? '' : `--audience-from ${provider.audienceFrom}`,
    provider.clientPatterns === true ? '--allow-client-patterns' : '',
  ].filter((flag) => flag !== '');
  const { externalClientId = '', conditions = [] } = client.provider ?? {};
  return `| ${[
    platform.name,
    code(provider.issuer),
    platform.typ === undefined ? 'none' : code(platform.typ),
    provider.allowedAlgorithms.map(code).join(' '),
    flags.length === 0 ? 'nothing' : flags.map(code).join(' '),
    code(externalClientId),
    verified.audiences.map(code).join(' '),
    conditions.map(({ claim }) => code(claim)).join(' ') || 'none',
  ].join(' | ')} |`;
}

describe('the table of docs/providers.md', () => {
  it('is what registration and verification do; UPDATE_DOCS=1 writes it', async () => {
    const head = [
      '| provider | `iss` | `typ` | algorithms | register with | client id there | `aud` | required claims |',
      '|---|---|---|---|---|---|---|---|',
    ];
    const rows = await Promise.all(platforms.map(describeRow));
    const table = [...head, ...rows].join('\n');
    const path = join(root, 'docs/providers.md');
    const page = readFileSync(path, 'utf8');
    const between = /(<!-- table of providers -->\n)[\s\S]*?(\n<!-- end of the table -->)/;
    const updated = page.replace(between, (_, start: string, end: string) => start + table + end);
    if (process.env.UPDATE_DOCS === '1') writeFileSync(path, updated);
    expect(page).toBe(updated);
    expect(page).toMatch(between);
  });
});
