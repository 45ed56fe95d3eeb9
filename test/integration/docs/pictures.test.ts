import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type LoopbackProvider,
  startLoopbackProvider,
} from '../../../lab/support/loopback-provider.ts';
import {
  outlineOf,
  picturedOutlines,
  readOutlines,
} from '../../../lab/tools/screenshots/outline.ts';
import { addSampleData } from '../../../lab/tools/screenshots/sample-data.ts';
import { useLocalService } from '../lab/local/use-local-service.ts';

const service = useLocalService({ portal: true });
let provider: LoopbackProvider;
beforeAll(async () => {
  provider = await startLoopbackProvider();
});
afterAll(() => provider.close());

it('the pages of the pictures have the headings, menu entries and buttons that they had; or: npm run pictures', async () => {
  const data = await addSampleData(service(), provider.discoveryUrl);
  expect(await readOutlines(service(), data)).toEqual(picturedOutlines());
});

it('a page that lost or gained one has another outline', () => {
  const page = '<nav><a href="/a">Clients</a></nav><h1>Billing</h1><button>Save</button>';
  expect(outlineOf(page)).toEqual(['a Clients', 'h1 Billing', 'button Save']);
});
