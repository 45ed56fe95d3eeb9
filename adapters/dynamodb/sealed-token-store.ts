import { sealedTokenWaits } from '../../contract/limits.ts';
import { sealedTokenTable } from '../../contract/tables.ts';
import type { SealedTokenStore } from '../../core/token/sealed-token.ts';
import type { AwsJsonClient } from '../aws-json/aws-json-client.ts';

const { partitionKey, timeToLive } = sealedTokenTable;
const sealedAttribute = 'sealed';

/** Milliseconds, as in {@link sealedTokenWaits}. */
type SealedTokenWaits = Readonly<Record<keyof typeof sealedTokenWaits, number>>;

interface GetItemOutput {
  readonly Item?: Readonly<Record<string, { readonly B?: unknown }>>;
}

const late = Symbol('late');

/** Gives up waiting, not the work. What has arrived by then still counts. */
async function waitFor<T>(work: Promise<T>, milliseconds: number): Promise<T | typeof late> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<typeof late>((resolve) => {
    // Timers run before sockets are read: a process that was busy looks at them once more.
    timer = setTimeout(() => setImmediate(resolve, late), milliseconds);
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
  }
}

function readSealed(output: unknown): Uint8Array | undefined {
  const value = (output as GetItemOutput).Item?.[sealedAttribute]?.B;
  return typeof value === 'string' ? Buffer.from(value, 'base64') : undefined;
}

/** @param client should retry nothing, and share no connection with calls that matter. */
export function createSealedTokenStore(
  client: AwsJsonClient,
  table: string,
  waits: SealedTokenWaits = sealedTokenWaits,
): SealedTokenStore {
  let failures = 0;
  const countFailure = () => {
    failures += 1;
    return undefined;
  };
  return {
    read(itemId, { signal } = {}) {
      const input = { TableName: table, Key: { [partitionKey]: { S: itemId } } };
      const read = client.call('GetItem', input, { signal }).then(readSealed, countFailure);
      return async () => {
        const sealed = await waitFor(read, waits.read);
        return sealed === late ? countFailure() : sealed;
      };
    },
    async write({ itemId, sealed, expiresAt }) {
      const Item = {
        [partitionKey]: { S: itemId },
        [sealedAttribute]: { B: Buffer.from(sealed).toString('base64') },
        [timeToLive]: { N: String(expiresAt) },
      };
      const sent = Promise.withResolvers<void>();
      client
        .call('PutItem', { TableName: table, Item }, { onSent: sent.resolve })
        .catch(countFailure)
        .finally(sent.resolve);
      await waitFor(sent.promise, waits.write);
    },
    takeFailures() {
      const taken = failures;
      failures = 0;
      return taken;
    },
  };
}
