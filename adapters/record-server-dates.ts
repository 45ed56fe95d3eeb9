import type { AwsClients } from './aws-clients.ts';

/** Receives the time on each response and its latency, both in milliseconds. */
export type RecordServerDate = (serverTime: number, latency: number) => void;

interface Answered {
  readonly response: unknown;
}

function dateOf({ response }: Answered): number {
  const { headers } = response as { readonly headers?: Readonly<Record<string, string>> };
  return Date.parse(headers?.['date'] ?? '');
}

/**
 * Reports the `Date` of every response to the clients (RFC 9110 §6.6.1).
 *
 * @param elapsed milliseconds on a counter that only counts up.
 */
export function recordServerDates(
  { dynamodb, kms }: Pick<AwsClients, 'dynamodb'> & Partial<AwsClients>,
  record: RecordServerDate,
  elapsed: () => number,
): void {
  const options = { step: 'deserialize' } as const;
  async function listen<T extends Answered>(send: () => Promise<T>): Promise<T> {
    const sentAt = elapsed();
    const answer = await send();
    const serverTime = dateOf(answer);
    if (!Number.isNaN(serverTime)) record(serverTime, elapsed() - sentAt);
    return answer;
  }
  dynamodb.middlewareStack.add((next) => (request) => listen(() => next(request)), options);
  kms?.middlewareStack.add((next) => (request) => listen(() => next(request)), options);
}
