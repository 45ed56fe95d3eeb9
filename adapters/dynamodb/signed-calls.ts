import type { AwsJsonClient } from '../aws-json/aws-json-client.ts';
import type { DynamoDbCalls, Page } from './dynamodb-calls.ts';
import type { Item } from './item.ts';

/**
 * The signed client as {@link DynamoDbCalls}. DynamoDB's JSON is the SDK's shape already, but for
 * binary values, which no item of ours has.
 */
export function createSignedCalls(client: AwsJsonClient): DynamoDbCalls {
  return {
    getItem: async (input, options) =>
      (await client.call('GetItem', input, options)) as { readonly Item?: Item },
    query: async (input, options) => (await client.call('Query', input, options)) as Page,
    updateItem: (input, options) => client.call('UpdateItem', input, options),
  };
}
