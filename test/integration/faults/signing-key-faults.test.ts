import { readFileSync } from 'node:fs';
import { type AttributeValue, DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { DisableKeyCommand, EnableKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { decodeProtectedHeader, type JSONWebKeySet } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tableName } from '../../../contract/tables.ts';
import { ageNextKey } from '../../../lab/support/age-next-key.ts';
import { figure } from '../../support/figure.ts';
import {
  type Answer,
  askToken,
  countStatus,
  countUnverifiable,
  load,
  unavailableAnswer,
} from './load.ts';
import { useFaultyService } from './use-faulty-service.ts';

type Item = Record<string, AttributeValue>;

const { faults, service } = useFaultyService();
const signingKeys = tableName('local', 'signingKeys');
let dynamodb: DynamoDBClient;
let kms: KMSClient;

beforeAll(() => {
  const { environment } = service();
  const common = { region: environment.AWS_REGION, credentials: service().aws.credentials };
  dynamodb = new DynamoDBClient({ ...common, endpoint: environment.AWS_ENDPOINT_URL_DYNAMODB });
  kms = new KMSClient({ ...common, endpoint: environment.AWS_ENDPOINT_URL_KMS });
});
afterAll(() => {
  dynamodb.destroy();
  kms.destroy();
});

async function keyIn(state: string): Promise<Item> {
  const { Items = [] } = await dynamodb.send(
    new QueryCommand({
      TableName: signingKeys,
      KeyConditionExpression: 'record_type = :type',
      ExpressionAttributeValues: { ':type': { S: 'signing_key' } },
    }),
  );
  const found = Items.find((item) => item['state']?.S === state);
  if (found === undefined) throw new Error(`there is no key that is ${state}`);
  return found;
}

/** A minute goes by: the list of keys is read again, and refused keys are asked again. */
async function letMinutePass(): Promise<void> {
  faults.play({ rules: [{ fault: 'clock_skew', seconds: 61 }] });
  await Promise.all([askToken(service()), fetch(service().jwksUri)]);
}

async function readJwks(): Promise<JSONWebKeySet> {
  return (await (await fetch(service().jwksUri)).json()) as JSONWebKeySet;
}

function kidOf({ body }: Answer): string | undefined {
  return decodeProtectedHeader(String(body['access_token'])).kid;
}

function logLines(): readonly Readonly<Record<string, unknown>>[] {
  const text = readFileSync(service().paths.log, 'utf8').trimEnd();
  return text.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('a signing key that is disabled under load', () => {
  it('is never replaced by a key that verifiers may not know: 503', async () => {
    const KeyId = (await keyIn('current'))['kms_key_arn']?.S;
    await kms.send(new DisableKeyCommand({ KeyId }));
    try {
      const answers = await load(20, 4, () => askToken(service()));
      for (const answer of answers) expect(answer).toMatchObject(unavailableAnswer);
      const refused = logLines().filter(({ status }) => status === 503);
      expect(refused.length).toBeGreaterThanOrEqual(20);
      for (const { error_name, error_message } of refused) {
        expect(error_name).toMatch(/ < DisabledException$/);
        expect(error_message).toContain(`with ${KeyId}: DisabledException`);
      }
    } finally {
      await kms.send(new EnableKeyCommand({ KeyId }));
    }
  });

  it('gives way at once to one that all verifiers know, and the log says so', async () => {
    const [current, next] = await Promise.all([keyIn('current'), keyIn('next')]);
    await ageNextKey(dynamodb, { table: signingKeys, regionId: 'slc' });
    await letMinutePass();
    const KeyId = current['kms_key_arn']?.S;
    let disabled = false;
    const answers = await load(200, 5, async (index) => {
      if (index === 100) {
        await kms.send(new DisableKeyCommand({ KeyId }));
        disabled = true;
      }
      return askToken(service());
    });
    expect(disabled).toBe(true);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const unverifiable = await countUnverifiable(answers, await readJwks());
    expect(new Set(answers.map(kidOf))).toEqual(
      new Set([current['record_id']?.S, next['record_id']?.S]),
    );
    const byFallback = logLines().filter(
      ({ outcome, unusable_kids }) => outcome === 'issued' && unusable_kids !== undefined,
    );
    figure('signing key disabled after 100 of 200 tokens', {
      issued: countStatus(answers, 200),
      'unverifiable tokens': unverifiable,
      'signed by the fallback key': byFallback.length,
    });
    expect(unverifiable).toBe(0);
    expect(byFallback.length).toBeGreaterThan(80);
    for (const { unusable_reasons } of byFallback) {
      expect(unusable_reasons).toEqual([expect.stringContaining(`${KeyId}: DisabledException`)]);
    }
  });
});
