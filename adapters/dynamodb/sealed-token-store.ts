import { sealedTokenWaits } from '../../contract/limits.ts';
import { sealedTokenTable } from '../../contract/tables.ts';
import type { PortOptions } from '../../core/port.ts';
import type { SealedItem, SealedTokenStore } from '../../core/token/sealed-token.ts';
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

/** See {@link SealedTokenStore}. */
class DynamoDbSealedTokens implements SealedTokenStore {
  readonly #client: AwsJsonClient;
  readonly #table: string;
  readonly #waits: SealedTokenWaits;
  #failures = 0;

  constructor(client: AwsJsonClient, table: string, waits: SealedTokenWaits) {
    this.#client = client;
    this.#table = table;
    this.#waits = waits;
  }

  read(itemId: string, { signal }: PortOptions = {}) {
    const input = { TableName: this.#table, Key: { [partitionKey]: { S: itemId } } };
    const read = this.#client.call('GetItem', input, { signal }).then(readSealed, () => {
      this.#failures += 1;
      return undefined;
    });
    return async () => {
      const sealed = await waitFor(read, this.#waits.read);
      if (sealed !== late) return sealed;
      this.#failures += 1;
      return undefined;
    };
  }

  async write({ itemId, sealed, expiresAt }: SealedItem): Promise<void> {
    const Item = {
      [partitionKey]: { S: itemId },
      [sealedAttribute]: { B: Buffer.from(sealed).toString('base64') },
      [timeToLive]: { N: String(expiresAt) },
    };
    const sent = Promise.withResolvers<void>();
    this.#client
      .call('PutItem', { TableName: this.#table, Item }, { onSent: sent.resolve })
      .catch(() => {
        this.#failures += 1;
      })
      .finally(sent.resolve);
    await waitFor(sent.promise, this.#waits.write);
  }

  takeFailures(): number {
    const failures = this.#failures;
    this.#failures = 0;
    return failures;
  }
}

/** @param client should retry nothing, and share no connection with calls that matter. */
export function createSealedTokenStore(
  client: AwsJsonClient,
  table: string,
  waits: SealedTokenWaits = sealedTokenWaits,
): SealedTokenStore {
  return new DynamoDbSealedTokens(client, table, waits);
}
