import { beforeAll, describe, expect, it } from 'vitest';
import { examples } from '../../../lab/suites/examples/catalogue.ts';
import { checkExample } from '../../../lab/suites/examples/check-example.ts';
import {
  countTokenRequests,
  prepareWorld,
  type World,
} from '../../../lab/suites/examples/world.ts';
import { useLocalService } from '../lab/local/use-local-service.ts';

const { onRequest, take } = countTokenRequests();
const service = useLocalService({ https: true, onRequest });

let world: World;

beforeAll(async () => {
  world = await prepareWorld(service(), take);
});

describe('examples that npm test can run', () => {
  const runnable = examples.filter(({ inNpmTest }) => inNpmTest);

  it.each(runnable)('$name does what it shows', async (example) => {
    const prepared = await example.prepare(world.trust);
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
