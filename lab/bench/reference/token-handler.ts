import { createHash, timingSafeEqual } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { DynamoDBDocumentClient, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
// oxlint-disable-next-line import/no-named-as-default -- middy's types have only the default
import middy from '@middy/core';
import httpErrorHandler from '@middy/http-error-handler';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import httpUrlencodeBodyParser from '@middy/http-urlencode-body-parser';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { base64url, compactVerify, importJWK } from 'jose';

// The token endpoint as it is usually written for Lambda: SDK clients, document client, middy,
// Powertools and jose, with their defaults. It does what our function does on the way to a token,
// and refuses what a benchmark needs refused; it is no complete authorization server.

interface ClientItem {
  readonly client_id: string;
  readonly enabled: boolean;
  readonly service_trunk_group: string;
  readonly audiences: readonly string[];
  readonly scopes: readonly string[];
  readonly token_lifetime: number;
  readonly secrets: Record<string, { readonly hash: string; readonly expires_at?: number }>;
}

interface SigningKeyItem {
  /** The kid. */
  readonly record_id: string;
  readonly state: string;
  readonly kms_key_arn: string;
  readonly public_jwk: Readonly<Record<string, string>>;
}

const logger = new Logger({ serviceName: 'token' });
const metrics = new Metrics({ namespace: 'authorization-server', serviceName: 'token' });
const dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const kms = new KMSClient({});
const {
  AUTH_CLIENTS_TABLE,
  AUTH_DEFAULT_AUDIENCE,
  AUTH_ISSUER,
  AUTH_KEY_LIST_REFRESH,
  AUTH_SIGNING_KEYS_TABLE,
} = process.env;

class OAuthError extends Error {
  readonly statusCode: number;
  constructor(error: string, statusCode: number) {
    super(error);
    this.statusCode = statusCode;
  }
}

let keys: { readonly items: readonly SigningKeyItem[]; readonly readAt: number } | undefined;

async function currentKey(): Promise<SigningKeyItem> {
  if (keys === undefined || Date.now() - keys.readAt > Number(AUTH_KEY_LIST_REFRESH) * 1000) {
    const { Items = [] } = await dynamodb.send(
      new QueryCommand({
        TableName: AUTH_SIGNING_KEYS_TABLE,
        KeyConditionExpression: 'record_type = :type',
        ExpressionAttributeValues: { ':type': 'signing_key' },
      }),
    );
    keys = { items: Items as SigningKeyItem[], readAt: Date.now() };
  }
  const key = keys.items.find(({ state }) => state === 'current');
  if (key === undefined) throw new OAuthError('temporarily_unavailable', 503);
  return key;
}

async function authenticate(authorization = ''): Promise<ClientItem> {
  const [scheme, value = ''] = authorization.split(' ');
  const [id = '', secret = ''] = Buffer.from(value, 'base64')
    .toString()
    .split(':')
    .map(decodeURIComponent);
  if (scheme?.toLowerCase() !== 'basic') throw new OAuthError('invalid_client', 401);
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: AUTH_CLIENTS_TABLE, Key: { client_id: id } }),
  );
  const client = Item as ClientItem | undefined;
  const hash = Buffer.from(`sha256$${createHash('sha256').update(secret).digest('base64url')}`);
  const found = Object.values(client?.secrets ?? {}).some(({ hash: stored, expires_at }) => {
    const expected = Buffer.from(stored);
    const live = expires_at === undefined || expires_at > Date.now() / 1000;
    return live && expected.length === hash.length && timingSafeEqual(expected, hash);
  });
  if (client?.enabled !== true || !found) throw new OAuthError('invalid_client', 401);
  return client;
}

function grantScopes(client: ClientItem, requested: string | undefined): string {
  const scopes = requested?.split(' ') ?? client.scopes;
  if (!scopes.every((scope) => client.scopes.includes(scope))) {
    throw new OAuthError('invalid_scope', 400);
  }
  return scopes.join(' ');
}

/** Import is work once a key, not once a token. */
const imported = new Map<string, Awaited<ReturnType<typeof importJWK>>>();

async function publicKey(key: SigningKeyItem): Promise<Awaited<ReturnType<typeof importJWK>>> {
  const known = imported.get(key.record_id) ?? (await importJWK(key.public_jwk, 'RS256'));
  imported.set(key.record_id, known);
  return known;
}

async function sign(payload: Readonly<Record<string, unknown>>): Promise<string> {
  const key = await currentKey();
  const header = { alg: 'RS256', typ: 'at+jwt', kid: key.record_id };
  const input = [header, payload].map((part) => base64url.encode(JSON.stringify(part))).join('.');
  const { Signature } = await kms.send(
    new SignCommand({
      KeyId: key.kms_key_arn,
      Message: createHash('sha256').update(input).digest(),
      MessageType: 'DIGEST',
      SigningAlgorithm: 'RSASSA_PKCS1_V1_5_SHA_256',
    }),
  );
  const token = `${input}.${base64url.encode(Signature ?? new Uint8Array())}`;
  await compactVerify(token, await publicKey(key));
  return token;
}

async function issueToken(event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> {
  const form = event.body as unknown as Record<string, string>;
  if (form['grant_type'] !== 'client_credentials') {
    throw new OAuthError('unsupported_grant_type', 400);
  }
  const client = await authenticate(event.headers['authorization']);
  const scope = grantScopes(client, form['scope']);
  const iat = Math.floor(Date.now() / 1000);
  const access_token = await sign({
    iss: AUTH_ISSUER,
    sub: client.client_id,
    aud: client.audiences[0] ?? AUTH_DEFAULT_AUDIENCE,
    client_id: client.client_id,
    iat,
    exp: iat + client.token_lifetime,
    jti: crypto.randomUUID(),
    scope,
    service_trunk_group: client.service_trunk_group,
  });
  logger.info('token issued', { client_id: client.client_id, scope });
  metrics.addMetric('TokensIssued', MetricUnit.Count, 1);
  return {
    statusCode: 200,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    body: JSON.stringify({
      access_token,
      token_type: 'Bearer',
      expires_in: client.token_lifetime,
      scope,
    }),
  };
}

export const handler = middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
  .use(injectLambdaContext(logger))
  .use(logMetrics(metrics))
  .use(httpHeaderNormalizer())
  .use(httpUrlencodeBodyParser())
  .use(httpErrorHandler({ logger: false }))
  .handler(issueToken);
