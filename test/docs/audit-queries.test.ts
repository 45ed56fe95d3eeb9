import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { authenticationFailureThrottle } from '../../contract/bounds.ts';
import { SigningKeyUnusableError, UnavailableError } from '../../core/errors.ts';
import { clientIdOf, makeClient, makeSecret, secretValueOf } from '../../lab/support/clients.ts';
import { makeSigningKey, signWithKeys } from '../../lab/support/signing-keys.ts';
import { basic } from '../../lab/support/token-request.ts';
import { worldNow } from '../../lab/support/token-settings.ts';
import { createTelemetry } from '../../lambda/shared/telemetry.ts';
import { captureOutput } from '../support/captured-output.ts';
import { tokenWorld, worldSigner } from '../support/token-world.ts';

type Line = Readonly<Record<string, unknown>>;
type Condition = (line: Line) => boolean;

const secret = makeSecret(secretValueOf(1));
let lines: readonly Line[] = [];
let jti = '';

/** One request of each kind that the page asks about. */
beforeAll(async () => {
  const output = await captureOutput(async () => {
    const telemetry = createTelemetry('token', { region_id: 'slc' });
    const fallback = makeSigningKey('ES256', { state: 'next', provedAt: worldNow - 1000 });
    const world = tokenWorld([makeClient({ secrets: [secret] })], telemetry);
    await world.issue();
    await world.issue({ body: 'grant_type=client_credentials&scope=not:granted' });
    const wrong = { headers: { Authorization: basic(clientIdOf(1), 'wrong') } };
    for (let count = 0; count <= authenticationFailureThrottle.repetitions; count += 1) {
      await world.issue(wrong);
    }
    world.stores.sign.mockRejectedValueOnce(new UnavailableError('could not sign'));
    await world.issue();
    world.stores.listSigningKeys.mockResolvedValue([worldSigner.key, fallback.key]);
    world.stores.sign.mockImplementation(async (key, input) => {
      if (key.kid === worldSigner.key.kid) throw new SigningKeyUnusableError('disabled');
      return signWithKeys(fallback)(key, input);
    });
    world.clock.now += 61;
    await world.issue();
    world.stores.listSigningKeys.mockRejectedValue(new UnavailableError('could not list'));
    world.clock.now += 61;
    await world.issue();
  });
  lines = output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  jti = String(lines.find(({ outcome }) => outcome === 'issued')?.['jti']);
});

function parseCondition(text: string): Condition {
  const present = /^ispresent\((\w+)\)$/.exec(text);
  if (present) return (line) => line[present[1] ?? ''] !== undefined;
  const [, name = '', operator = '', value = ''] = /^(\w+) (=|>=) (.+)$/.exec(text) ?? [];
  if (name === '') throw new Error(`a condition that this test does not know: ${text}`);
  const wanted: unknown = JSON.parse(value);
  return operator === '='
    ? (line) => line[name] === wanted
    : (line) => Number(line[name]) >= Number(wanted);
}

interface Query {
  readonly filter: string;
  readonly fields: readonly string[];
}

function parseQuery(text: string): Query {
  const [filter = '', ...rest] = text.split('\n| ');
  const fields = rest
    .filter((part) => !part.startsWith('sort'))
    .flatMap((part) => part.replace(/^fields |^stats .* by /, '').split(', '));
  return { filter: filter.replace('filter ', ''), fields };
}

const page = readFileSync('docs/audit.md', 'utf8');
const queries = [...page.matchAll(/```logs\n([\s\S]*?)\n```/g)].map(([, text = '']) => text);

describe('a query of docs/audit.md', () => {
  it('is one of several', () => {
    expect(queries.length).toBeGreaterThanOrEqual(8);
  });

  it.each(queries)('finds what it is for: %s', (text) => {
    const { filter, fields } = parseQuery(
      text.replace('JTI', jti).replace('SECRET_ID', secret.secretId),
    );
    const conditions = filter.split(' and ').map(parseCondition);
    const found = lines.filter((line) => conditions.every((condition) => condition(line)));
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThan(lines.length);
    const names = fields.filter((name) => !name.startsWith('@'));
    for (const name of names) {
      expect([name, found.some((line) => line[name] !== undefined)]).toEqual([name, true]);
    }
  });

  it('has every field that an issued token is remembered by', () => {
    const issued = lines.find(({ outcome }) => outcome === 'issued');
    expect(issued).toMatchObject({
      client_id: clientIdOf(1),
      secret_id: secret.secretId,
      scope: 'messaging:view messaging:manage',
      aud: 'https://api.example.com',
      kid: worldSigner.key.kid,
      jti: expect.any(String),
      region_id: 'slc',
      source_ip: '192.0.2.1',
      request_id: 'request-1',
    });
  });
});
