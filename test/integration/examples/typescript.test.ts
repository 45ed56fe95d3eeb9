import { beforeAll, describe, expect, it } from 'vitest';
import { tokenPath } from '../../../contract/routes.ts';
import { examples } from '../../../lab/suites/examples/catalogue.ts';
import { checkExample } from '../../../lab/suites/examples/check-example.ts';
import { prepareWorld, type World } from '../../../lab/suites/examples/world.ts';
import { useLocalService } from '../lab/local/use-local-service.ts';

let tokenRequests = 0;

const service = useLocalService({
  https: true,
  onRequest: ({ path }) => {
    if (path === tokenPath) tokenRequests += 1;
  },
});

let world: World;

beforeAll(async () => {
  world = await prepareWorld(service(), () => {
    const taken = tokenRequests;
    tokenRequests = 0;
    return taken;
  });
});

describe('examples that npm test can run', () => {
  const runnable = examples.filter(({ inNpmTest }) => inNpmTest);

  it.each(runnable)('$name does what it shows', async (example) => {
    const prepared = await example.prepare(world);
    if ('missing' in prepared) throw new Error(`missing: ${prepared.missing}`);
    await checkExample(example, prepared.command, world);
  });

  it('are all TypeScript ones', () => {
    expect(runnable.map(({ kind }) => kind)).toEqual([
      'get-token',
      'get-token',
      'verify-token',
      'verify-token',
    ]);
  });
});
