import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import { ExternalSigningKey, Provider } from 'oidc-provider';
import { tokenPath } from '../../../contract/routes.ts';
import { scopeName } from '../../../contract/scopes.ts';
import { tableName } from '../../../contract/tables.ts';
import { createTelemetry } from '../../../lambda/shared/telemetry.ts';
import { clientId, config, issuer, kmsKeyArn, secretValue } from '../scenario.ts';
import { serve } from './server-process.ts';

// oidc-provider set up for the same work: client_credentials, a JWT access token by RFC 9068 for
// one audience, and a signing key outside the process. Its defaults otherwise.

const kms = new KMSClient({});
const dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const clientsInTable = process.env['BENCH_CLIENTS'] === 'dynamodb';
const publicKey = createPublicKey({
  key: Buffer.from(process.env['BENCH_PUBLIC_SPKI'] ?? '', 'base64'),
  format: 'der',
  type: 'spki',
});

async function signWithKms(data: Uint8Array): Promise<Uint8Array> {
  const { Signature } = await kms.send(
    new SignCommand({
      KeyId: kmsKeyArn(0),
      Message: createHash('sha256').update(data).digest(),
      MessageType: 'DIGEST',
      SigningAlgorithm: 'RSASSA_PKCS1_V1_5_SHA_256',
    }),
  );
  return Signature ?? new Uint8Array();
}

class Key extends ExternalSigningKey {
  override keyObject(): KeyObject {
    return publicKey;
  }

  override sign(data: Uint8Array): Promise<Uint8Array> {
    return signWithKms(data);
  }
}

const scope = config.scopes.map(scopeName).join(' ');
const client = {
  client_id: clientId,
  client_secret: secretValue,
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
  token_endpoint_auth_method: 'client_secret_basic',
  scope,
};

/** Reads the client from DynamoDB with each token, as our function does. */
class TableAdapter {
  readonly #model: string;

  constructor(model: string) {
    this.#model = model;
  }

  async find(id: string): Promise<unknown> {
    if (this.#model !== 'Client') return undefined;
    const Key = { client_id: id };
    const { Item } = await dynamodb.send(
      new GetCommand({ TableName: tableName(config.name, 'clients'), Key }),
    );
    return Item && client;
  }
}

const resourceServer = {
  scope,
  audience: config.defaultAudience,
  accessTokenTTL: 3600,
  accessTokenFormat: 'jwt',
  jwt: { sign: { alg: 'RS256' } },
};

const key = new Key();
key.alg = 'RS256';

const provider = new Provider(issuer, {
  ...(clientsInTable ? { adapter: TableAdapter } : { clients: [client] }),
  scopes: config.scopes.map(scopeName),
  jwks: { keys: [key] },
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    externalSigningSupport: { enabled: true, ack: 'experimental-01' },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => config.defaultAudience,
      getResourceServerInfo: () => resourceServer,
      useGrantedResource: () => true,
    },
  },
  routes: { token: tokenPath },
});

// The lines that our handler writes of a token: anyone who runs either of them wants a log.
const telemetry = createTelemetry('token', { region_id: 'slc' }, { byOutcome: true });
const context = { functionName: 'token', awsRequestId: 'bench' } as Context;
provider.on('grant.success', () => {
  const fields = {
    http_method: 'POST',
    path: tokenPath,
    source_ip: '127.0.0.1',
    request_id: 'bench',
    client_id: clientId,
    secret_id: clientId,
    scope,
    aud: config.defaultAudience,
    jti: clientId,
    kid: key.kid,
    secret_use: 'not_due',
  };
  const report = { outcome: 'issued', statusCode: 200, latency: 0, counts: new Set<string>() };
  telemetry.report({ ...report, level: 'info', clientId, fields }, context);
});

await serve(provider.callback());
