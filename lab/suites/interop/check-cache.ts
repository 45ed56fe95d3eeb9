import { setTimeout as sleep } from 'node:timers/promises';
import { createTestKey } from '../../support/test-issuer.ts';
import type { InteropIssuer } from './issuer.ts';
import { type Library, typOf } from './libraries.ts';
import type { RunningVerifier, Variables } from './running-program.ts';

/** What a library did, in words; `problem` if it did not do what it should. */
export interface Outcome {
  readonly text: string;
  readonly problem?: string;
}

export const notMeasured: Outcome = { text: '–' };

export interface CacheOutcomes {
  readonly newKey: Outcome;
  readonly unknownKid: Outcome;
}

/** Starts a verifier of RS256, runs `use`, and stops it. */
export type WithVerifier = <T>(
  use: (verifier: RunningVerifier) => Promise<T>,
  variables?: Variables,
) => Promise<T>;

const tokens = 10;
/** Steps in which the clock of a program is moved, and how far. */
const clockStep = 10;
const clockLimit = 3600;
/** What a library with a setting of its own is given, and how long the run waits for it. */
const refreshSeconds = '1';
const refreshLimit = 60_000;

type Question = Parameters<RunningVerifier['ask']>[0];

async function acceptedAfter(verifier: RunningVerifier, question: Question) {
  for (let later = clockStep; later <= clockLimit; later += clockStep) {
    if ((await verifier.ask({ ...question, later })).ok) return later;
  }
  return undefined;
}

/** Asks until the token is accepted, or the limit has passed. */
async function isAcceptedSoon(verifier: RunningVerifier, question: Question): Promise<boolean> {
  const end = Date.now() + refreshLimit;
  while (Date.now() < end) {
    if ((await verifier.ask(question)).ok) return true;
    await sleep(100);
  }
  return false;
}

/** When the first token of a new key is accepted, by a verifier that has just fetched the JWKS. */
async function checkNewKey(
  library: Library,
  issuer: InteropIssuer,
  withVerifier: WithVerifier,
): Promise<Outcome> {
  const { refresh, clock } = library;
  const [first, second] = [createTestKey('RS256'), createTestKey('RS256')];
  // They do not expire while the clock of a program is moved.
  const exp = Math.floor(Date.now() / 1000) + 2 * clockLimit;
  const signLasting = (key: typeof first) => issuer.sign(key, { exp }, { typ: typOf(library) });
  const rotate = async (verifier: RunningVerifier) => {
    issuer.publish([first]);
    await verifier.ask({ token: signLasting(first), jwks: issuer.jwks() });
    issuer.publish([first, second]);
    return { token: signLasting(second), jwks: issuer.jwks() };
  };
  const byDefault = await withVerifier(async (verifier): Promise<Outcome> => {
    const question = await rotate(verifier);
    if ((await verifier.ask(question)).ok) return { text: 'at once' };
    const after = clock === 'moves' ? await acceptedAfter(verifier, question) : undefined;
    if (after !== undefined) return { text: `after ${after} s` };
    return { text: 'FAILED', problem: 'a new key was never accepted' };
  });
  if (byDefault.problem === undefined || refresh === undefined) return byDefault;
  return withVerifier(
    async (verifier) => {
      if (await isAcceptedSoon(verifier, await rotate(verifier))) return { text: refresh };
      return { text: 'FAILED', problem: 'a new key was not accepted after the refresh' };
    },
    { JWKS_REFRESH_SECONDS: refreshSeconds },
  );
}

/** How many fetches good tokens cost, and how many do tokens with invented `kid`s. */
export async function checkCache(
  library: Library,
  issuer: InteropIssuer,
  withVerifier: WithVerifier,
): Promise<CacheOutcomes> {
  if (library.ownCache) {
    return { newKey: notMeasured, unknownKid: notMeasured };
  }
  const key = createTestKey('RS256');
  issuer.publish([key]);
  const [good, unknownKid] = await withVerifier(async (verifier) => {
    const ask = (header: object = {}) => {
      const token = issuer.sign(key, {}, { typ: typOf(library), ...header });
      return verifier.ask({ token, jwks: issuer.jwks() });
    };
    await ask();
    issuer.takeFetches();
    for (let count = 0; count < tokens; count += 1) await ask();
    const forGood = issuer.takeFetches();
    for (let count = 0; count < tokens; count += 1) await ask({ kid: `unknown-${count}` });
    return [forGood, issuer.takeFetches()] as const;
  });
  return {
    newKey: await checkNewKey(library, issuer, withVerifier),
    unknownKid: {
      text: String(unknownKid),
      ...(good > 0 && { problem: `${good} fetches for ${tokens} good tokens` }),
    },
  };
}
