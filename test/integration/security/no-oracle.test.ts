import { beforeAll, describe, expect, it } from 'vitest';
import { authenticationFailureThrottle } from '../../../contract/bounds.ts';
import {
  formatClientSecret,
  formatId,
  idBytes,
} from '../../../core/credential/credential-value.ts';
import { Faults } from '../../../lab/emulator/faults/faults.ts';
import { basic } from '../../../lab/support/token-request.ts';
import { figure } from '../../support/figure.ts';
import { useLocalCli } from '../cli/use-authctl.ts';

const faults = new Faults();
const { json, service } = useLocalCli({ faults });

const cases: Record<string, string> = {};

beforeAll(async () => {
  const create = async (name: string, ...more: readonly string[]) => {
    const client = await json(`client create --name ${name} --trunk-group tg --scope calls:view`);
    const id = String(client['client_id']);
    const secret = await json(['client-secret', 'create', id, ...more]);
    return { id, secret: String(secret['client_secret']), secretId: String(secret['secret_id']) };
  };
  const wrong = formatClientSecret(Buffer.alloc(32, 9));
  const known = await create('Known');
  const disabled = await create('Disabled');
  await json(['client', 'disable', disabled.id]);
  const revoked = await create('Revoked');
  await json(['client-secret', 'delete', revoked.id, revoked.secretId, '--yes']);
  // Half a minute later, which is what a clock may be off.
  const expired = await create('Expired', '--expires-in', '20s');
  const unknown = formatId('client', Buffer.alloc(idBytes, 77));
  Object.assign(cases, {
    'an unknown client': basic(unknown, wrong),
    'a wrong secret': basic(known.id, wrong),
    'a disabled client': basic(disabled.id, disabled.secret),
    'a revoked secret': basic(revoked.id, revoked.secret),
    'an expired secret': basic(expired.id, expired.secret),
    'an invalid id': basic('somebody', wrong),
  });
});

async function ask(authorization: string) {
  faults.play({ rules: [{ fault: 'clock_skew', seconds: 30 }] });
  faults.takeCounts();
  const response = await fetch(service().tokenUrl, {
    method: 'POST',
    headers: { authorization },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const varying = new Set(['date', 'x-amzn-requestid', 'x-amz-apigw-id']);
  return {
    status: response.status,
    headers: [...response.headers].filter(([name]) => !varying.has(name)),
    body: await response.text(),
    calls: faults.takeCounts(),
  };
}

describe('a client that does not authenticate', () => {
  it('gets the same bytes at the cost of the same calls for every reason', async () => {
    const answers = [];
    for (const authorization of Object.values(cases)) answers.push(await ask(authorization));
    const [first] = answers;
    expect(first).toMatchObject({ status: 401, calls: { 'dynamodb.GetItem': 1 } });
    const calls = answers.map((answer) => Object.values(answer.calls).reduce((a, b) => a + b, 0));
    figure('refused authentications', {
      kinds: answers.length,
      'different answers': new Set(answers.map((answer) => JSON.stringify(answer))).size,
      'calls to AWS each, at most': Math.max(...calls),
    });
    for (const answer of answers) expect(answer).toEqual(first);
  });

  it('and comes back too often gets the same again', async () => {
    const throttled = [];
    for (const authorization of Object.values(cases)) {
      let answer = await ask(authorization);
      for (let count = 0; answer.status === 401 && count < 100; count += 1) {
        answer = await ask(authorization);
      }
      const { headers, ...rest } = answer;
      const retryAfter = Number(new Map(headers).get('retry-after'));
      expect(retryAfter).toBeGreaterThan(0);
      expect(retryAfter).toBeLessThanOrEqual(authenticationFailureThrottle.window);
      throttled.push({ ...rest, headers: headers.filter(([name]) => name !== 'retry-after') });
    }
    expect(throttled[0]).toMatchObject({ status: 429, calls: {} });
    for (const answer of throttled) expect(answer).toEqual(throttled[0]);
  });
});
