import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import type { APIGatewayRequestAuthorizerEvent, Context } from 'aws-lambda';
import { readSettings } from '../../../contract/read-settings.ts';
import { createTelemetry, type RequestReport } from '../../../lambda/shared/telemetry.ts';

// The floor of a verified token: its signature and its claims, and our log line and metrics.

const { keys } = JSON.parse(process.env['BENCH_JWKS'] ?? '{"keys":[]}') as {
  readonly keys: readonly JsonWebKey[];
};
const [key] = keys.map((jwk) => createPublicKey({ key: jwk, format: 'jwk' }));
const {
  issuer,
  audiences: [audience],
} = readSettings('authorizer', process.env);

interface Claims {
  readonly [name: string]: unknown;
  readonly exp: number;
}

/** The claims of a token, if its signature and its claims are right. */
function readToken(token: string): Claims {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const input = Buffer.from(`${header}.${payload}`);
  if (key === undefined || !verify('sha256', input, key, Buffer.from(signature, 'base64url'))) {
    throw new Error('the signature is wrong');
  }
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
  const isValid = claims['iss'] === issuer && claims['aud'] === audience;
  if (!isValid || claims.exp * 1000 <= Date.now()) throw new Error('the claims are wrong');
  return claims;
}

const telemetry = createTelemetry('authorizer', {});

export async function handler(event: APIGatewayRequestAuthorizerEvent, context: Context) {
  const startedAt = Date.now();
  const token = event.headers?.['Authorization']?.slice('Bearer '.length) ?? '';
  const payload = readToken(token);
  const clientId = String(payload['client_id']);
  const report: RequestReport = {
    level: 'info',
    outcome: 'allowed',
    statusCode: 200,
    latency: Date.now() - startedAt,
    clientId,
    fields: {
      route: 'GET /messages',
      source_ip: event.requestContext.identity.sourceIp,
      request_id: event.requestContext.requestId,
      credential: 'access_token',
      client_id: clientId,
      issuer: String(payload['iss']),
      jti: String(payload['jti']),
    },
  };
  telemetry.report(report, context);
  const statement = { Effect: 'Allow', Action: 'execute-api:Invoke', Resource: event.methodArn };
  return {
    principalId: clientId,
    policyDocument: { Version: '2012-10-17', Statement: [statement] },
    context: { client_id: clientId, scope: String(payload['scope']) },
  };
}
