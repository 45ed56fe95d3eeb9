import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { toClientItem } from '../../adapters/dynamodb/items/client-item.ts';
import { signingKeyItem } from '../../adapters/dynamodb/items/signing-key-item.ts';
import singleRegion from '../../config/single-region.json' with { type: 'json' };
import { addressesOf } from '../../contract/addresses.ts';
import {
  type DeploymentConfigInput,
  parseDeploymentConfig,
} from '../../contract/deployment-config.ts';
import { functionSettings, type SettingsSource } from '../../contract/function-settings.ts';
import { settingsVariables } from '../../contract/read-settings.ts';
import { scopeName } from '../../contract/scopes.ts';
import { tableName } from '../../contract/tables.ts';
import type { Client } from '../../core/client/client.ts';
import {
  formatClientSecret,
  formatId,
  hashSecret,
} from '../../core/credential/credential-value.ts';
import { publicJwkFromSpki } from '../../core/signing-key/public-jwk.ts';
import type { SigningKey } from '../../core/signing-key/signing-key.ts';
import { buildProxyEvent } from '../emulator/gateway/proxy-event.ts';
import type { Backend, Delays } from './backend/backend.ts';
import type { StubItem } from './backend/dynamodb-stub.ts';
import { workFolder } from './build.ts';

/** One client sends all requests of a measurement. */
const unlimited = { ...singleRegion, fairShare: { mode: 'off' } };

export const config = parseDeploymentConfig(unlimited);

/** Fixed bytes stand for random ones, so that every run sends the same. */
const id = (kind: Parameters<typeof formatId>[0], seed: number) =>
  formatId(kind, new Uint8Array(16).fill(seed));
export const clientId = id('client', 1);
const secretValue = formatClientSecret(new Uint8Array(32).fill(1));

/** Used today already, so that the day's one write of last use is no part of any figure. */
export function createClient(): Client {
  const today = new Date().toISOString().slice(0, 10);
  const secrets = [0, 1].map((index) => ({
    secretId: id('secret', index + 1),
    // The caller's secret is the newest, and so the last to be compared.
    hash: hashSecret(index === 1 ? secretValue : `another ${index}`),
    createdAt: 1_700_000_000 + index,
    lastUsedOn: today,
  }));
  return {
    clientId,
    name: 'Billing export',
    serviceTrunkGroup: 'stg-4711',
    audiences: [],
    tokenLifetime: 3600,
    scopes: config.scopes.slice(0, 4).map(scopeName),
    secrets,
    version: 1,
    createdAt: 1_700_000_000,
    updatedAt: 1_700_000_000,
  };
}

export const kmsKeyArn = (index: number) => `arn:aws:kms:us-west-2:000000000000:key/${index}`;

/** The current key, and others whose public halves are published next to it. */
function createSigningKeys(publicSpki: string): readonly SigningKey[] {
  const publicJwk = publicJwkFromSpki(Buffer.from(publicSpki, 'base64'), 'RS256');
  return [0, 1].map((index) => {
    const kid = index === 0 ? publicJwk.kid : String(index).padStart(43, '0');
    return {
      kid,
      regionId: 'slc',
      alg: 'RS256',
      kmsKeyArn: kmsKeyArn(index),
      publicJwk: { ...publicJwk, kid },
      state: index === 0 ? 'current' : 'next',
      publishedAt: 1_700_000_000,
      activatedAt: index === 0 ? 1_700_100_000 : undefined,
      version: 1,
    };
  });
}

export function clientItem(client: Client): StubItem {
  const table = tableName(config.name, 'clients');
  return { table, key: client.clientId, item: toClientItem(client) };
}

/** What the tables hold. */
export function createItems(backend: Pick<Backend, 'publicSpki'>): readonly StubItem[] {
  const signingKeys = createSigningKeys(backend.publicSpki).map((key) => ({
    table: tableName(config.name, 'signingKeys'),
    key: 'signing_key',
    item: signingKeyItem.toItem(key),
  }));
  return [clientItem(createClient()), ...signingKeys];
}

const source: SettingsSource = {
  config,
  regionId: 'slc',
  addresses: addressesOf(config, 'https://auth.example.com'),
  kmsKeyPolicy: { Version: '2012-10-17', Statement: [] },
};

/** In milliseconds, as commonly seen by a function in the services' own region. */
export const usualDelays: Delays = { kms: 10, dynamodb: 3 };
export const noDelays: Delays = { kms: 0, dynamodb: 0 };

export const awsRegion = 'us-west-2';
export const issuer = source.addresses.issuer;

export const settings = {
  token: functionSettings.token(source),
  discovery: functionSettings.discovery(source),
  jwks: functionSettings.jwks(source),
};

/** The variables of the token function if the config has more keys. */
function tokenWith(more: Partial<DeploymentConfigInput>): Readonly<Record<string, string>> {
  const config = parseDeploymentConfig({ ...unlimited, ...more });
  return settingsVariables(functionSettings.token({ ...source, config }));
}

export const keysEnvironment = () => tokenWith({ clientKeys: { maxAge: 600 } });
/** A proof binds its tokens. */
export const dpopEnvironment = () =>
  tokenWith({ dpop: { audiences: { [config.defaultAudience]: 'allowed' } } });
/** One client that is never refused. */
export const fairShareEnvironment = () =>
  tokenWith({ fairShare: { mode: 'enforce', signsPerMinute: 1_000_000_000 } });

/** What every function of a benchmark has as well: keys, and the way to the stubs. */
export function backendEnvironment(backend: Backend): Readonly<Record<string, string>> {
  const certificate = join(workFolder, 'backend.pem');
  writeFileSync(certificate, backend.certificate);
  return {
    AWS_ACCESS_KEY_ID: 'ASIABENCHMARKBENCHMA',
    AWS_SECRET_ACCESS_KEY: 'benchmark/benchmark/benchmark/benchmark0',
    // As long as those that Lambda gives its functions.
    AWS_SESSION_TOKEN: 'benchmark'.repeat(80),
    AWS_ENDPOINT_URL_KMS: backend.kmsUrl,
    AWS_ENDPOINT_URL_DYNAMODB: backend.dynamodbUrl,
    NODE_EXTRA_CA_CERTS: certificate,
  };
}

interface RequestParts {
  readonly method: string;
  readonly path: string;
  readonly headers?: readonly string[];
  readonly body?: string;
}

/** An event of the REST API for a request as a client library sends it. */
export function createEvent({ method, path, headers, body }: RequestParts): APIGatewayProxyEvent {
  return buildProxyEvent(
    {
      method,
      target: path,
      rawHeaders: ['Host', 'auth.example.com', 'User-Agent', 'curl/8.5.0', ...(headers ?? [])],
      body: Buffer.from(body ?? ''),
      sourceIp: '192.0.2.44',
      scheme: 'https',
      port: 443,
      httpVersion: '1.1',
    },
    {
      timeout: 29_000,
      requestId: '11111111-2222-4333-8444-555555555555',
      time: Date.now(),
      route: { path, functionName: 'token', handler: () => Promise.resolve() },
    },
  );
}

export const tokenRequestHeaders = (secret = secretValue, id = clientId): readonly string[] => [
  'Authorization',
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
  'Content-Type',
  'application/x-www-form-urlencoded',
];

export const tokenRequestBody = 'grant_type=client_credentials&scope=messaging%3Aview';
