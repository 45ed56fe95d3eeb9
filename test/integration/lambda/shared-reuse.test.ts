import { beforeAll, describe, expect, it, vi } from 'vitest';
import { sealedTokenTable, sealedTokenTableName } from '../../../contract/tables.ts';
import { createTable } from '../../../lab/support/create-tables.ts';
import { useTokenFunction } from './use-token-function.ts';

const { tokenFunction, tables } = useTokenFunction();
const name = sealedTokenTableName('test');

/** Another instance each time. */
function startInstance(table = name) {
  const { issue, reports } = tokenFunction(
    {},
    { AUTH_TOKEN_REUSE_SHARE: 0.5, AUTH_SEALED_TOKENS_TABLE: table },
  );
  return {
    issue: async () => {
      const { statusCode, body } = await issue();
      return { statusCode, token: (JSON.parse(body) as { access_token: string }).access_token };
    },
    reports,
  };
}

const countItems = async () => (await tables().dynamodb.scan({ TableName: name })).Items?.length;

beforeAll(() => createTable(tables().dynamodb, { ...sealedTokenTable, name }));

describe('functions that share tokens', () => {
  it('issue what another instance signed', async () => {
    const [first, second] = [startInstance(), startInstance()];
    const { token } = await first.issue();
    // Only the request waits for nothing: the item is written next to the answer.
    await vi.waitFor(async () => expect(await countItems()).toBe(1));
    expect(await second.issue()).toEqual({ statusCode: 200, token });
    expect(second.reports).toMatchObject([{ outcome: 'issued', fields: { reused: true } }]);
  });

  it('issue their own without the table, and say that it failed', async () => {
    const instance = startInstance('missing');
    expect((await instance.issue()).statusCode).toBe(200);
    expect(instance.reports).toMatchObject([
      { outcome: 'issued', fields: { shared_reuse: 'failed', reused: undefined } },
    ]);
    expect([...(instance.reports[0]?.counts ?? [])]).toContain('SharedReuseFailures');
  });
});
