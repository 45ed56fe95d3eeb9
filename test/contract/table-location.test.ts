import { describe, expect, it } from 'vitest';
import { parseTableLocation } from '../../contract/table-location.ts';
import { tableName } from '../../contract/tables.ts';

const arn = 'arn:aws:dynamodb:us-west-2:111122223333:table/authorization-server';

describe('where tables are', () => {
  it.each([
    ['a name', 'authorization-server', undefined, 'authorization-server-api-keys'],
    ['an ARN', arn, 'us-west-2', `${arn}-api-keys`],
    [
      'an ARN of another partition',
      'arn:aws-us-gov:dynamodb:us-gov-west-1:111122223333:table/auth',
      'us-gov-west-1',
      'arn:aws-us-gov:dynamodb:us-gov-west-1:111122223333:table/auth-api-keys',
    ],
  ])('is %s', (_, text, awsRegion, apiKeys) => {
    const location = parseTableLocation(text);
    expect(location?.awsRegion).toBe(awsRegion);
    expect(tableName(location?.prefix ?? '', 'apiKeys')).toBe(apiKeys);
  });

  it.each([
    '',
    'a b',
    'arn:aws:dynamodb:us-west-2:111122223333:table/',
    'arn:aws:dynamodb:us-west-2::table/authorization-server',
    'arn:aws:dynamodb:us-west-2:111122223333:table/a/index/b',
    'arn:aws:kms:us-west-2:111122223333:key/authorization-server',
    `${arn}\n`,
  ])('is not %j', (text) => {
    expect(parseTableLocation(text)).toBeUndefined();
  });
});
