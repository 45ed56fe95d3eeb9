// Uses the installed package in place of a service that is deployed, as a team's tests would.
import assert from 'node:assert/strict';
import { type LocalService, startLocal } from '@authorization-server-aws/local';

const auth: LocalService<'reader', never> = await startLocal({
  clients: { reader: { name: 'Reader', serviceTrunkGroup: 'tg-1', scopes: ['messaging:view'] } },
});
try {
  const parts = async (index: number): Promise<Record<string, unknown>> => {
    const part = (await auth.getToken('reader')).split('.')[index] ?? '';
    return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  };
  assert.equal((await parts(1))['iss'], auth.issuer);
  const kid = await auth.rotateKeys();
  assert.equal((await parts(0))['kid'], kid);
} finally {
  await auth.close();
}
process.stdout.write('the local service works\n');
