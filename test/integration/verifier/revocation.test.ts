import { decodeJwt } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { OnLookupFailure } from '../../../contract/revocation-check.ts';
import { Faults } from '../../../lab/emulator/faults/faults.ts';
import { createDynamoDbLookups, type DynamoDbLookups } from '../../../verifier/dynamodb-lookups.ts';
import { createVerifier, type VerifiedAccessToken } from '../../../verifier/verifier.ts';
import { useLocalCli } from '../cli/use-authctl.ts';
import { bearer, send, useForwardAuth } from './forward-auth/use-forward-auth.ts';
import { frameworks, type RunningService } from './middleware/frameworks.ts';

const faults = new Faults();
const { json, authctl, service, requestToken } = useLocalCli({ checkRevocation: 'refuse', faults });
const tables = ['--tables', 'local'];
const refusing = useForwardAuth(service, [...tables, '--check-revocation', 'refuse']);
const accepting = useForwardAuth(service, [...tables, '--check-revocation', 'accept']);
const notChecking = useForwardAuth(service, tables);

const withoutLookup: VerifiedAccessToken[] = [];
let lookups: DynamoDbLookups;
const middleware = new Map<string, RunningService>();

function createCheckingVerifier(onLookupFailure: OnLookupFailure) {
  const { environment, issuer } = service();
  const { clients } = lookups.providers;
  return createVerifier({
    issuer,
    audience: environment['AUDIENCE'] ?? '',
    revocation:
      onLookupFailure === 'refuse'
        ? { clients, onLookupFailure }
        : {
            clients,
            onLookupFailure,
            onAcceptedWithoutLookup: (caller) => void withoutLookup.push(caller),
          },
  });
}

beforeAll(async () => {
  const { environment, aws } = service();
  lookups = createDynamoDbLookups({
    tables: 'local',
    region: environment['AWS_REGION'],
    endpointDynamoDb: environment['AWS_ENDPOINT_URL_DYNAMODB'],
    credentials: aws.credentials,
  });
  for (const [name, start] of Object.entries(frameworks)) {
    const verifier = createCheckingVerifier('refuse');
    middleware.set(name, await start(verifier, { notAccepted: [], behindProxy: false }));
  }
});
afterEach(() => faults.stop());
afterAll(() => {
  middleware.forEach((running) => running.close());
  lookups.close();
});

/** A client with a secret, and how it gets a token. */
async function createClient(...more: readonly string[]) {
  const named = ['--name', 'Billing', '--trunk-group', 'tg-1', '--scope', 'messaging:view'];
  const created = await json(['client', 'create', ...named, ...more]);
  const id = String(created['client_id']);
  const secret = String((await json(['client-secret', 'create', id]))['client_secret']);
  return {
    id,
    async token(): Promise<string> {
      const { status, body } = await requestToken(id, secret);
      expect(status).toBe(200);
      return String(body['access_token']);
    },
  };
}

/** The status that each check gives to a token. */
async function statuses(token: string): Promise<Readonly<Record<string, number>>> {
  const headers = bearer(token);
  const ofForwardAuth = async (check: typeof refusing) =>
    (await send(check().address, '/verify/messaging:view', headers)).status;
  const { exampleUrl } = service();
  const entries = [...middleware].map(
    async ([name, { address }]) =>
      [name, (await send(address, '/messages', headers)).status] as const,
  );
  return {
    authorizer: (await fetch(exampleUrl, { headers: { authorization: `Bearer ${token}` } })).status,
    'forward-auth': await ofForwardAuth(refusing),
    'forward-auth that accepts': await ofForwardAuth(accepting),
    ...Object.fromEntries(await Promise.all(entries)),
    'without look-ups': await ofForwardAuth(notChecking),
  };
}

function everywhere(status: number, withoutLookups: number) {
  const checks = ['authorizer', 'forward-auth', 'forward-auth that accepts', ...middleware.keys()];
  return {
    ...Object.fromEntries(checks.map((name) => [name, status])),
    'without look-ups': withoutLookups,
  };
}

describe('checks that look up clients', () => {
  it('refuse what was issued before revoke-tokens, and accept the next token', async () => {
    const client = await createClient();
    const old = await client.token();
    expect(await statuses(old)).toEqual(everywhere(200, 200));
    const revoked = await json(['client', 'revoke-tokens', client.id, '--yes']);
    const { iat = 0 } = decodeJwt(old);
    expect(Date.parse(String(revoked['tokens_not_before']))).toBeGreaterThan(iat * 1000);
    expect(await statuses(old)).toEqual(everywhere(401, 200));
    const explain = ['explain', 'request', '--bearer-stdin'];
    expect(await json(explain, { stdin: old })).toMatchObject({
      accepted: true,
      refused_with_lookup: { reason: 'token_revoked', finding: { name: 'iat' } },
    });
    expect((await authctl(explain, { stdin: old })).stderr).toContain(
      "A check that looks up clients refuses it (token_revoked). The rule: the token says by iat that it was issued after its client was created, and after the client's tokens were last revoked.",
    );
    const next = await client.token();
    expect(await statuses(next)).toEqual(everywhere(200, 200));
    expect(await json(explain, { stdin: next })).not.toHaveProperty('refused_with_lookup');
  });

  it('refuse the tokens of a disabled client until it is enabled, and of a deleted one', async () => {
    const client = await createClient();
    const token = await client.token();
    await json(['client', 'disable', client.id]);
    expect(await statuses(token)).toEqual(everywhere(401, 200));
    await json(['client', 'enable', client.id]);
    expect(await statuses(token)).toEqual(everywhere(200, 200));
    await json(['client', 'delete', client.id, '--yes']);
    expect(await statuses(token)).toEqual(everywhere(401, 200));
  });

  it('do what was chosen while DynamoDB does not answer, and say it', async () => {
    const client = await createClient();
    const token = await client.token();
    faults.play({ rules: [{ service: 'dynamodb', table: 'clients', fault: 'reset' }] });
    expect(await statuses(token)).toEqual({
      ...everywhere(503, 200),
      // API Gateway has no 503 for an authorizer.
      authorizer: 500,
      'forward-auth that accepts': 200,
    });
    const line = { message: 'accepted_without_lookup', client_id: client.id, level: 'WARN' };
    expect(await accepting().waitFor(line)).toMatchObject({
      error_name: expect.stringContaining('UnavailableError'),
    });
    const verifier = createCheckingVerifier('accept');
    const caller = await verifier.verify({ authorization: `Bearer ${token}` });
    expect(withoutLookup).toEqual([caller]);
    expect(caller).toMatchObject({ lookupFailure: { name: 'UnavailableError' } });
  });
});

describe('authctl client revoke-tokens', () => {
  it('asks, says what it does and shows the time', async () => {
    const { id } = await createClient();
    const unasked = await authctl(['client', 'revoke-tokens', id]);
    expect(unasked).toMatchObject({ exitCode: 2, stdout: '' });
    expect(unasked.stderr).toContain(
      `Revoke all tokens of ${id} (Billing) that were issued before now?`,
    );
    const { stdout, stderr, exitCode } = await authctl(['client', 'revoke-tokens', id, '--yes']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^tokens not before +20\d\d-.*Z$/m);
    expect(stderr).toContain('Checks that look up clients refuse its old tokens');
    expect((await authctl(['client', 'show', id])).stdout).toContain('tokens not before');
    const { items } = await json(['client', 'list']);
    expect(items).toContainEqual(
      expect.objectContaining({ client_id: id, tokens_not_before: expect.any(String) }),
    );
    const changes = JSON.stringify(await json(['audit', 'list']));
    expect(changes).toContain('client.revoke_tokens');
  });

  it('changes nothing if the client has another version', async () => {
    const { id } = await createClient();
    const before = await json(['client', 'show', id]);
    const args = ['client', 'revoke-tokens', id, '--yes', '--if-version', '7'];
    expect(await authctl(args)).toMatchObject({ exitCode: 1 });
    expect(await json(['client', 'show', id])).toEqual(before);
  });
});
