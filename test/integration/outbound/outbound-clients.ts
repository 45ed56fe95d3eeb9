import { createAwsJsonClient } from '../../../adapters/aws-json/aws-json-client.ts';
import { callProfiles } from '../../../adapters/call-profile.ts';
import { sendAnswer } from '../../../adapters/cloudformation/send-answer.ts';
import { containerCredentials } from '../../../adapters/credentials/environment-credentials.ts';
import { createDynamoDbClient } from '../../../adapters/dynamodb/clients/dynamodb-client.ts';
import { createFetchKeySet } from '../../../adapters/https/fetch-key-set.ts';
import { createGuardedFetch } from '../../../adapters/https/json-request.ts';
import { loginFetch } from '../../../adapters/https/login-fetch.ts';
import {
  createFetchServiceDocument,
  createPostTokenRequest,
} from '../../../adapters/https/service-requests.ts';
import { createKmsClient } from '../../../adapters/kms/kms-client.ts';
import { createKmsSign } from '../../../adapters/kms/sign-with-key.ts';
import { createFunctionCaller } from '../../../adapters/lambda/invoke-from-function.ts';
import { createInvokeFunction } from '../../../adapters/lambda/invoke-function.ts';
import { createLambdaClient } from '../../../adapters/lambda/lambda-client.ts';
import { createAuthenticateCaller } from '../../../adapters/sts/authenticate-caller.ts';
import { createCallerIdentity } from '../../../adapters/sts/caller-identity.ts';
import { providerFetchTimeout, trustedFetchTimeout } from '../../../contract/bounds.ts';
import { exampleSigningKey } from '../../../lab/support/signing-keys.ts';
import { createLoginProvider } from '../../../portal/login/login-provider.ts';
import { testAccessKey } from '../../support/test-access-key.ts';

/** A client of the product, and how it is called. */
export interface OutboundClient {
  /** Files that open connections for it. */
  readonly files: readonly string[];
  /** It refuses http. */
  readonly onlyHttps?: true;
  /** It reads a status and no body. */
  readonly readsOnlyTheHead?: true;
  /** Milliseconds that one call may take, all retries included. */
  readonly limit: number;
  readonly call: (url: string, ca: string) => Promise<unknown>;
}

const { requestTimeout, connectionTimeout, maxAttempts, retryDelay } = callProfiles.request;

/** Of a client that reads a whole response within `requestTimeout`. */
const awsLimit = maxAttempts * (connectionTimeout + requestTimeout + retryDelay * 2 ** maxAttempts);

const keys = {
  AWS_REGION: 'us-west-2',
  AWS_ACCESS_KEY_ID: testAccessKey.accessKeyId,
  AWS_SECRET_ACCESS_KEY: testAccessKey.secretAccessKey,
};

function jsonClientOf(service: 'dynamodb' | 'kms', url: string) {
  return createAwsJsonClient({
    service,
    environment: { ...keys, AWS_ENDPOINT_URL: url },
    profile: callProfiles.request,
    maxSockets: 1,
  });
}

const https = ['adapters/https/open-response.ts'];
const jsonFiles = ['connection', 'aws-json-client'].map((name) => `adapters/aws-json/${name}.ts`);
const sdk = { region: keys.AWS_REGION, credentials: testAccessKey };

/** Every client of the product that opens a connection to another process. */
export const outboundClients: Readonly<Record<string, OutboundClient>> = {
  'documents of providers': {
    files: https,
    onlyHttps: true,
    limit: providerFetchTimeout,
    call: (url, ca) => createGuardedFetch({ allowLoopback: true, ca })(url),
  },
  "the service's own key set": {
    files: https,
    limit: trustedFetchTimeout,
    call: (url, ca) =>
      createFetchKeySet(
        { issuer: 'own', jwksUri: url, ca },
        async () => undefined,
      )({ issuer: 'own', jwksUri: url, algorithms: ['RS256'], registrationId: 'own' }),
  },
  'documents of regions': {
    files: https,
    limit: 5000,
    call: (url, ca) => createFetchServiceDocument({ ca })(url),
  },
  'token requests': {
    files: https,
    limit: 8000,
    call: (url, ca) => createPostTokenRequest({ ca })(url, { clientId: 'a', clientSecret: 'b' }),
  },
  "CloudFormation's responses": {
    files: https,
    readsOnlyTheHead: true,
    limit: 5000,
    call: (url) =>
      sendAnswer(url, {
        Status: 'SUCCESS',
        Reason: '',
        PhysicalResourceId: 'a',
        StackId: 'b',
        RequestId: 'c',
        LogicalResourceId: 'd',
      }),
  },
  'credentials of a container': {
    files: ['adapters/aws-json/connection.ts'],
    limit: 1000,
    call: async (url) => containerCredentials({ AWS_CONTAINER_CREDENTIALS_FULL_URI: url })?.(),
  },
  'proofs of callers': {
    files: ['adapters/aws-json/connection.ts'],
    limit: 5000,
    call: (url) =>
      createAuthenticateCaller({ ...keys, AWS_ENDPOINT_URL_STS: url })(
        { authorization: 'a', date: '20261120T093000Z' },
        'digest',
      ),
  },
  'the AWS JSON client, DynamoDB': {
    files: jsonFiles,
    limit: awsLimit,
    call: (url) => jsonClientOf('dynamodb', url).call('GetItem', {}),
  },
  'the AWS JSON client, KMS': {
    files: jsonFiles,
    limit: awsLimit,
    call: (url) => jsonClientOf('kms', url).call('Sign', {}),
  },
  'the login of the portal': {
    files: ['portal/login/login-provider.ts', ...https],
    limit: trustedFetchTimeout,
    call: (url) =>
      createLoginProvider({
        issuer: url,
        clientId: 'a',
        clientSecret: async () => 'b',
        fetch: loginFetch,
        redirectUri: 'https://portal.example.com/login/callback',
        recentLogin: 600,
        allowHttp: true,
      }).authorizationUrl({ state: 'a', nonce: 'b', codeVerifier: 'c', kind: 'normal' }),
  },
  "the SDK's client of DynamoDB": {
    files: ['adapters/dynamodb/clients/dynamodb-client.ts'],
    limit: 2 * awsLimit,
    call: (url) =>
      createDynamoDbClient({ ...sdk, endpointDynamoDb: url }).get({
        TableName: 'a',
        Key: { a: 1 },
      }),
  },
  "the SDK's client of KMS": {
    files: ['adapters/kms/kms-client.ts'],
    limit: 2 * awsLimit,
    call: (url) =>
      createKmsSign(createKmsClient({ ...sdk, endpointKms: url }))(
        exampleSigningKey('RS256'),
        new Uint8Array(1),
        {},
      ),
  },
  "the SDK's client of Lambda": {
    files: ['adapters/lambda/lambda-client.ts'],
    limit: 2 * awsLimit,
    call: (url) =>
      createInvokeFunction(createLambdaClient({ ...sdk, endpointLambda: url }))('a', {}),
  },
  'the client of Lambda in a function': {
    files: jsonFiles,
    limit: awsLimit,
    call: (url) =>
      createFunctionCaller({ ...keys, AWS_ENDPOINT_URL_LAMBDA: url }, requestTimeout).invoke(
        'a',
        {},
      ),
  },
  "the SDK's client of STS": {
    files: ['adapters/sts/caller-identity.ts'],
    limit: 2 * awsLimit,
    call: (url) => createCallerIdentity({ ...sdk, endpointSts: url })(),
  },
};
