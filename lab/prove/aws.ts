import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openServices, type Services } from '../support/aws-services.ts';

/** AWS, and time. Tests give others. */
export interface Account {
  /** The services of an AWS region, the first of the run if left out. */
  readonly aws: (awsRegion?: string) => Services;
  readonly pause: (seconds: number) => Promise<void>;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

type Operations = Readonly<Record<string, (input: unknown) => unknown>>;

/** Writes each call to a file before it is sent, a line of JSON. No input has a secret. */
export function recordCalls(services: object, file: string): Services {
  const record = (service: string, client: Operations) =>
    new Proxy(client, {
      get: (_, operation: string) => (input: unknown) => {
        // Commands are those of the emulator's helpers only.
        if (operation !== 'send') {
          appendFileSync(file, `${JSON.stringify({ service, operation, input })}\n`);
        }
        return client[operation]?.(input);
      },
    });
  const clients = Object.entries(services as Readonly<Record<string, Operations>>);
  const all = clients.map(([name, client]) => [name, record(name, client)]);
  return Object.fromEntries(all) as Services;
}

/**
 * AWS with the credentials of the environment.
 *
 * @param calls file of {@link recordCalls}.
 * @param isEmulator does at once what takes AWS minutes, and has no name for each bucket.
 */
export function openAccount(first: string, calls: string, isEmulator: boolean): Account {
  const open = openServices(() => ({ forcePathStyle: isEmulator }));
  return {
    aws: (region = first) => recordCalls(open(region), calls),
    pause: (seconds) => sleep(seconds * (isEmulator ? 100 : 1000)),
    clock: Date.now,
  };
}

/** Asks every few seconds until there is an answer. @throws {Error} after some minutes. */
export async function eventually<T>(
  { clock, pause }: Pick<Account, 'pause' | 'clock'>,
  what: string,
  minutes: number,
  ask: () => Promise<T | undefined | false>,
): Promise<T> {
  const startedAt = clock();
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (clock() - startedAt > minutes * 60_000) {
      throw new Error(`${what}: not within ${minutes} minutes`);
    }
    await pause(5);
  }
}
