import { createAwsJsonClient } from '../../adapters/aws-json/aws-json-client.ts';
import { callProfiles } from '../../adapters/call-profile.ts';
import { createSignedCalls } from '../../adapters/dynamodb/signed-calls.ts';
import { readEnvironment } from '../../contract/environment.ts';
import { createAuthorizerHandler } from './create-authorizer-handler.ts';

const dynamodb = createAwsJsonClient({
  service: 'dynamodb',
  environment: process.env,
  profile: callProfiles.request,
  // A function handles one request at a time, and each of its look-ups waits for the one before.
  maxSockets: 1,
});

export const handler = createAuthorizerHandler(
  readEnvironment('authorizer', process.env),
  createSignedCalls(dynamodb),
);
