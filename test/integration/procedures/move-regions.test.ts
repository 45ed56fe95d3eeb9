import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AwsClientOptions } from '../../../adapters/aws-client-options.ts';
import type { DeploymentConfig } from '../../../contract/deployment-config.ts';
import { type RegionId, regionIds } from '../../../contract/regions.ts';
import { deployedTableName } from '../../../contract/tables.ts';
import { restorableTables } from '../../../core/restore/restore-tables.ts';
import { startDynamoDb } from '../../../lab/emulator/dynamodb.ts';
import { startKms } from '../../../lab/emulator/kms/kms-server.ts';
import { ItemHistory } from '../../../lab/emulator/replication/item-history.ts';
import { createAwsClients } from '../../../lab/support/aws-clients.ts';
import { createTables } from '../../../lab/support/create-tables.ts';
import { createDynamoDbLookups } from '../../../verifier/dynamodb-lookups.ts';
import { createVerifier } from '../../../verifier/verifier.ts';
import { addCredentials, tokenOf } from '../../support/regions/credentials.ts';
import {
  configOf,
  passUntilKeysSign,
  type Region,
  type Shared,
  startRegion,
} from '../../support/regions/three-regions.ts';
import { restoreTable } from '../../support/restore-table.ts';
import { testAccessKey } from '../../support/test-access-key.ts';

/** The steps of docs/procedures/ with the functions, on DynamoDB's and KMS's protocols. */
const issuer = 'https://auth.example.com';
const audience = 'https://api.example.com';
const clock = { time: Date.now() };

let dynamodb: Awaited<ReturnType<typeof startDynamoDb>>;
let kms: Awaited<ReturnType<typeof startKms>>;
let aws: AwsClientOptions;
const started: Region[] = [];

beforeAll(async () => {
  dynamodb = await startDynamoDb({ accessKey: testAccessKey });
  kms = await startKms({ accessKey: testAccessKey });
  aws = {
    region: 'eu-west-1',
    endpointDynamoDb: dynamodb.endpoint,
    endpointKms: kms.endpoint,
    credentials: testAccessKey,
  };
});

afterAll(async () => {
  await Promise.all(started.map((region) => region.close()));
  await Promise.all([dynamodb.close(), kms.close()]);
});

/** What a deployment of a config leaves: its tables, and the functions of its regions. */
async function deploy(config: DeploymentConfig): Promise<Partial<Record<RegionId, Region>>> {
  const clients = createAwsClients(aws);
  await createTables(clients.dynamodb, config.tablesName ?? config.name);
  await createTables(clients.dynamodb, config.name);
  const shared: Shared = {
    config,
    dynamodbEndpoint: dynamodb.endpoint,
    kmsEndpoint: kms.endpoint,
    history: new ItemHistory(),
    lag: 0,
    clock,
    running: new Map(),
  };
  const regions: Partial<Record<RegionId, Region>> = {};
  for (const id of regionIds.filter((one) => config.regions[one] !== undefined)) {
    const region = await startRegion(id, shared);
    started.push(region);
    regions[id] = region;
  }
  return regions;
}

async function restoreTables(from: DeploymentConfig, config: DeploymentConfig): Promise<void> {
  for (const table of restorableTables) {
    const rows = await restoreTable({ aws, config }, table, deployedTableName(from, table));
    expect(rows.filter(({ outcome }) => outcome !== 'restored')).toEqual([]);
  }
}

async function keysOf(region: Region): Promise<JSONWebKeySet> {
  return JSON.parse((await region.jwks()).body) as JSONWebKeySet;
}

async function expectVerifiable(tokens: readonly string[], regions: readonly Region[]) {
  const currentDate = new Date(clock.time);
  for (const region of regions) {
    const keys = createLocalJWKSet(await keysOf(region));
    for (const token of tokens) await jwtVerify(token, keys, { issuer, audience, currentDate });
  }
}

/** The one set of strongly consistent tables that has a region to spare. */
const european = {
  slc: { awsRegion: 'eu-west-1' },
  dfw: { awsRegion: 'eu-west-2' },
  pit: { awsRegion: 'eu-west-3' },
};
const one = configOf(['slc'], { regions: { slc: european.slc } });
const three = configOf(regionIds, { regions: european, tablesName: 'authorization-server-2' });

function verifierOf(config: DeploymentConfig) {
  const { apiKeys } = createDynamoDbLookups({ ...aws, tables: config.tablesName });
  return createVerifier({ issuer, audience, apiKeys });
}

describe('one region that becomes three, on new tables', () => {
  it('keeps its issuer, its tokens, its clients and its API keys', async () => {
    const { slc: before } = await deploy(one);
    if (before === undefined) throw new Error('no region');
    await before.rotate('deploy');
    const { clientId, secret, apiKey } = await addCredentials(one, aws);
    const token = tokenOf(await before.issue(clientId, secret));

    const { slc, dfw, pit } = await deploy(three);
    if (slc === undefined || dfw === undefined || pit === undefined) throw new Error('no region');
    expect((await slc.issue(clientId, secret)).statusCode).not.toBe(200);
    await restoreTables(one, three);
    await slc.rotate('deploy');
    const after = tokenOf(await slc.issue(clientId, secret));
    expect(decodeProtectedHeader(after).kid).toBe(decodeProtectedHeader(token).kid);
    await expectVerifiable([token, after], [before, slc, dfw, pit]);
    const authorization = `Bearer ${apiKey}`;
    expect((await verifierOf(three).verify({ authorization })).serviceTrunkGroup).toBe('tg');

    for (const region of [dfw, pit]) {
      await region.rotate('deploy');
      // Until every verifier may know its key.
      expect((await region.issue(clientId, secret)).statusCode).toBe(503);
    }
    await expectVerifiable([token, after], [slc, dfw, pit]);
    const all = [slc, dfw, pit];
    await passUntilKeysSign(all, clock);
    const tokens = await Promise.all(
      all.map(async (region) => tokenOf(await region.issue(clientId, secret))),
    );
    expect(new Set(tokens.map((text) => decodeProtectedHeader(text).kid)).size).toBe(3);
    await expectVerifiable(tokens, all);
  });
});

describe('a region that is replaced by one in another AWS region, on new tables', () => {
  const names = { tablesName: 'authorization-server-3' };
  const replaced = configOf(regionIds, {
    ...names,
    regions: { ...european, pit: { awsRegion: 'eu-central-1' } },
  });

  it('publishes a key of its own, and what the lost one signed verifies until it ends', async () => {
    const credentials = await addCredentials(three, aws);
    const { clientId, secret } = credentials;
    const { pit: lost } = await deploy(three);
    if (lost === undefined) throw new Error('no region');
    const token = tokenOf(await lost.issue(clientId, secret));

    const { slc, dfw, pit } = await deploy(replaced);
    await restoreTables(three, replaced);
    if (slc === undefined || dfw === undefined || pit === undefined) throw new Error('no region');
    for (const region of [slc, dfw, pit]) await region.rotate('deploy');
    const others = [slc, dfw];
    const tokens = [token];
    for (const region of others) tokens.push(tokenOf(await region.issue(clientId, secret)));
    await expectVerifiable(tokens, [slc, dfw, pit]);
    expect((await pit.issue(clientId, secret)).statusCode).toBe(503);

    await passUntilKeysSign([slc, dfw, pit], clock);
    const own = tokenOf(await pit.issue(clientId, secret));
    const lostKid = decodeProtectedHeader(token).kid;
    expect(decodeProtectedHeader(own).kid).not.toBe(lostKid);
    await expectVerifiable([own], [slc, dfw, pit]);
  });
});
