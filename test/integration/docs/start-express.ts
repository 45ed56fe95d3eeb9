import { makeTemporaryDirectory } from '../../support/temporary-directory.ts';
import { startExpressService } from './express-service.ts';

/** What a reader of packages/local/README.md writes for the service of docs/platform-api.md. */
export async function startApi(environment: Readonly<Record<string, string>>) {
  const folder = makeTemporaryDirectory();
  const api = await startExpressService(folder.path, environment);
  return {
    url: api.url,
    close: async () => {
      await api.close();
      folder.remove();
    },
  };
}
