import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { expect } from 'vitest';
import type { LocalRun } from '../../../lab/local/start-local.ts';
import { credentialsOf } from '../lab/local/use-local-service.ts';

/** One answered request. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
  /** From the request to the last byte. */
  readonly milliseconds: number;
}

export async function timed(request: () => Promise<Response>): Promise<Answer> {
  const start = performance.now();
  const response = await request();
  const body = (await response.json()) as Record<string, unknown>;
  const milliseconds = performance.now() - start;
  return { status: response.status, headers: response.headers, body, milliseconds };
}

export function askToken(
  service: Pick<LocalRun, 'tokenUrl' | 'clientId' | 'clientSecret'>,
  authorization = credentialsOf(service),
): Promise<Answer> {
  return timed(() =>
    fetch(service.tokenUrl, {
      method: 'POST',
      headers: { authorization },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    }),
  );
}

/** Makes so many requests, so many at a time. */
export async function load(
  count: number,
  concurrency: number,
  request: (index: number) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      answers.push(await request(index));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return answers;
}

export function percentile(answers: readonly Answer[], share: number): number {
  const sorted = answers.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
}

export function countStatus(answers: readonly Answer[], status: number): number {
  return answers.filter((answer) => answer.status === status).length;
}

/** How many of the tokens no key of a set verifies. */
export async function countUnverifiable(
  answers: readonly Answer[],
  keys: JSONWebKeySet,
): Promise<number> {
  const known = createLocalJWKSet(keys);
  const outcomes = await Promise.allSettled(
    answers.map(({ body }) => jwtVerify(String(body['access_token']), known)),
  );
  return outcomes.filter(({ status }) => status === 'rejected').length;
}

/** What every answer must look like while the service cannot issue. */
export const unavailableAnswer = {
  status: 503,
  body: {
    error: 'temporarily_unavailable',
    error_description: 'the service is unavailable, try again later',
  },
} as const;

export function expectUnavailable(answer: Answer): void {
  expect(answer).toMatchObject(unavailableAnswer);
  expect(answer.headers.get('retry-after')).toBe('5');
  expect(answer.headers.get('cache-control')).toBe('no-store');
}

export async function readJwks({ jwksUri }: Pick<LocalRun, 'jwksUri'>): Promise<JSONWebKeySet> {
  return (await (await fetch(jwksUri)).json()) as JSONWebKeySet;
}

/** Expects what verifiers need of the service. @returns milliseconds of the slower document. */
export async function expectVerificationUntouched(
  { issuer, jwksUri }: Pick<LocalRun, 'issuer' | 'jwksUri'>,
  token: string,
): Promise<number> {
  const documents = await Promise.all([
    timed(() => fetch(jwksUri)),
    timed(() => fetch(`${issuer}/.well-known/openid-configuration`)),
  ]);
  expect(documents.map(({ status }) => status)).toEqual([200, 200]);
  await jwtVerify(token, createLocalJWKSet(await readJwks({ jwksUri })));
  return Math.max(...documents.map(({ milliseconds }) => milliseconds));
}
