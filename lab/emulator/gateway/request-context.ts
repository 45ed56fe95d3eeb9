import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { GatewayCall, GatewayRequest } from './gateway-route.ts';

/** Names that only a deployment has. */
export const localApi = { accountId: '000000000000', apiId: 'local', stage: 'live' } as const;

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** A time in Common Log Format, e.g. `20/Nov/2026:09:30:00 +0000`. */
function formatLogTime(milliseconds: number): string {
  const time = new Date(milliseconds);
  const [date = '', clock = ''] = time.toISOString().split('T');
  const [year, , day] = date.split('-');
  return `${day}/${months[time.getUTCMonth()]}/${year}:${clock.slice(0, 8)} +0000`;
}

/** Without the prefix `::ffff:` of IPv4 addresses on a dual-stack socket. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}

/** Values that the event also contains. */
interface RequestParts {
  readonly path: string;
  readonly host: string;
  readonly userAgent: string | null;
}

/** `requestContext` of an unsigned request without an authorizer. */
export function buildRequestContext(
  request: GatewayRequest,
  call: GatewayCall,
  { path, host, userAgent }: RequestParts,
): APIGatewayProxyEvent['requestContext'] {
  return {
    accountId: localApi.accountId,
    apiId: localApi.apiId,
    authorizer: undefined,
    domainName: host,
    domainPrefix: host.split('.')[0] ?? host,
    extendedRequestId: call.requestId,
    httpMethod: request.method,
    identity: {
      accessKey: null,
      accountId: null,
      apiKey: null,
      apiKeyId: null,
      caller: null,
      clientCert: null,
      cognitoAuthenticationProvider: null,
      cognitoAuthenticationType: null,
      cognitoIdentityId: null,
      cognitoIdentityPoolId: null,
      principalOrgId: null,
      sourceIp: plainAddress(request.sourceIp),
      user: null,
      userAgent,
      userArn: null,
    },
    path,
    protocol: `HTTP/${request.httpVersion}`,
    requestId: call.requestId,
    requestTime: formatLogTime(call.time),
    requestTimeEpoch: call.time,
    resourceId: 'local',
    resourcePath: call.route.path,
    stage: localApi.stage,
  };
}
