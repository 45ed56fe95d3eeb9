import type { APIGatewayRequestAuthorizerEvent, Context } from 'aws-lambda';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { createTelemetry, type RequestReport } from '../../../lambda/shared/telemetry.ts';

// The least that verifies a token: jose with the claims pinned, and our log line and metrics.

const keys = createLocalJWKSet(JSON.parse(process.env['BENCH_JWKS'] ?? '{"keys":[]}'));
const issuer = process.env['AUTH_ISSUER'] ?? '';
const audience = process.env['AUTH_AUDIENCES'] ?? '';
const telemetry = createTelemetry('authorizer', {});

export async function handler(event: APIGatewayRequestAuthorizerEvent, context: Context) {
  const startedAt = Date.now();
  const token = event.headers?.['Authorization']?.slice('Bearer '.length) ?? '';
  const { payload } = await jwtVerify(token, keys, {
    issuer,
    audience,
    typ: 'at+jwt',
    algorithms: ['RS256'],
    requiredClaims: ['exp', 'client_id', 'jti'],
  });
  const report: RequestReport = {
    level: 'info',
    outcome: 'allowed',
    statusCode: 200,
    latency: Date.now() - startedAt,
    clientId: String(payload['client_id']),
    counts: new Set(),
    fields: {
      route: 'GET /messages',
      source_ip: event.requestContext.identity.sourceIp,
      request_id: event.requestContext.requestId,
      credential: 'access_token',
      client_id: String(payload['client_id']),
      issuer: payload.iss,
      jti: payload.jti,
    },
  };
  telemetry.report(report, context);
  const statement = { Effect: 'Allow', Action: 'execute-api:Invoke', Resource: event.methodArn };
  return {
    principalId: String(payload['client_id']),
    policyDocument: { Version: '2012-10-17', Statement: [statement] },
    context: { client_id: String(payload['client_id']), scope: String(payload['scope']) },
  };
}
