import type { ServerResponse } from 'node:http';
import { createAccessKey } from './aws-server/access-key.ts';
import { createAwsCaller } from './aws-server/aws-caller.ts';
import { sendAnswer } from './aws-server/aws-error.ts';
import type { VerifiedRequest } from './aws-server/verify-signature.ts';
import { localRegion } from './local-region.ts';

/** Answers requests for items whose signature was verified. */
export interface ItemBackend {
  answer(request: VerifiedRequest, response: ServerResponse): Promise<void>;
  close(): Promise<void>;
}

/**
 * Passes requests on to DynamoDB Local, AWS's own engine. It keeps a database for each access key
 * and AWS region. Each backend is one store that every AWS region sees, as a global table with
 * strong consistency is: it has an access key of its own, and one AWS region for all requests.
 */
export function createDynamoDbLocal(endpoint: string): ItemBackend {
  const caller = createAwsCaller({ service: 'dynamodb', endpoint, accessKey: createAccessKey() });
  return {
    answer: async ({ headers, body }, response) => {
      const target = headers['x-amz-target']?.toString() ?? '';
      const answer = await caller.call({ region: localRegion.awsRegion, target, body });
      const { 'content-type': type = '', 'x-amzn-requestid': id = '' } = answer.headers;
      sendAnswer(response, {
        status: answer.status,
        headers: { 'content-type': type, 'x-amzn-requestid': id.toString() },
        body: answer.body,
      });
    },
    close: async () => caller.close(),
  };
}
