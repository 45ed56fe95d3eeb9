import { createHash, randomBytes } from 'node:crypto';
import { type CookieScope, readCookies, setCookie } from '../session/cookies.ts';
import type { LoginRequest } from './login-provider.ts';
import { type SealingKeys, seal, unseal } from './sealing.ts';

/** A login that a browser began, in a sealed cookie until the browser comes back. */
export interface LoginAttempt extends LoginRequest {
  /** Where the person wanted to go: a path of the portal. */
  readonly returnTo: string;
  readonly startedAt: number;
  /** The person whose session a silent login continues; another one must sign in. */
  readonly subject?: string | undefined;
}

const purpose = 'login';

/** Seconds for which a person may look for a password. */
const lifetime = 600;

/** Tabs that can sign in at the same time. */
const maxAttempts = 5;

/**
 * Bytes of their cookies. With the largest session, API Gateway's limit of 10,240 bytes leaves 3 KB
 * for other headers. A cookie takes 300 bytes, and a kilobyte more with the longest address.
 */
const maxAttemptBytes = 3000;

const kinds: readonly string[] = ['normal', 'silent', 'forced', 'recent'];

const drawText = () => randomBytes(32).toString('base64url');

/** The name of an attempt's cookie. It says nothing about the state that it is derived from. */
function nameOf(state: string): string {
  return `login-${createHash('sha256').update(state).digest('hex').slice(0, 16)}`;
}

export function createAttempt(
  given: Pick<LoginAttempt, 'kind' | 'returnTo' | 'startedAt' | 'subject'>,
): LoginAttempt {
  return { ...given, state: drawText(), nonce: drawText(), codeVerifier: drawText() };
}

/** Names of the cookies of earlier attempts that have no room next to a new one: the oldest. */
function findSurplus(
  request: Request,
  { prefix }: CookieScope,
  newBytes: number,
): readonly string[] {
  const open = [...readCookies(request)].filter(([name]) => name.startsWith(`${prefix}login-`));
  let [kept, bytes] = [1, newBytes];
  // Browsers send the newest last.
  const surplus = open.toReversed().filter(([name, value]) => {
    kept += 1;
    bytes += name.length + value.length;
    return kept > maxAttempts || bytes > maxAttemptBytes;
  });
  return surplus.map(([name]) => name.slice(prefix.length));
}

/** The cookies of a new attempt, which remove those of attempts that are too many. */
export function attemptCookies(
  request: Request,
  keys: SealingKeys,
  scope: CookieScope,
  attempt: LoginAttempt,
): readonly string[] {
  const { state, nonce, codeVerifier, kind, returnTo, startedAt, subject } = attempt;
  const value = [state, nonce, codeVerifier, kind, returnTo, startedAt, subject ?? null];
  const sealed = seal(keys, purpose, value);
  return [
    ...findSurplus(request, scope, sealed.length).map((name) => setCookie(scope, name, '', 0)),
    setCookie(scope, nameOf(state), sealed, lifetime),
  ];
}

/** The cookie that ends an attempt. A callback can be used once by a browser. */
export function endAttempt(scope: CookieScope, state: string): string {
  return setCookie(scope, nameOf(state), '', 0);
}

function read(value: unknown): LoginAttempt | undefined {
  if (!Array.isArray(value) || value.length !== 7) return undefined;
  const [state, nonce, codeVerifier, kind, returnTo, startedAt, subject] =
    value as readonly unknown[];
  const texts = [state, nonce, codeVerifier, kind, returnTo];
  if (!texts.every((text) => typeof text === 'string') || !kinds.includes(String(kind))) {
    return undefined;
  }
  return {
    state: String(state),
    nonce: String(nonce),
    codeVerifier: String(codeVerifier),
    kind: String(kind) as LoginAttempt['kind'],
    returnTo: String(returnTo),
    startedAt: Number(startedAt),
    subject: typeof subject === 'string' ? subject : undefined,
  };
}

/** The attempt that a callback belongs to: begun by the same browser, not too long ago. */
export function findAttempt(
  request: Request,
  keys: SealingKeys,
  scope: CookieScope,
  now: number,
): LoginAttempt | undefined {
  const state = new URL(request.url).searchParams.get('state');
  if (state === null) return undefined;
  const text = readCookies(request).get(`${scope.prefix}${nameOf(state)}`);
  if (text === undefined) return undefined;
  const attempt = read(unseal(keys, purpose, text));
  const isValid = attempt?.state === state && now - attempt.startedAt <= lifetime;
  return isValid ? attempt : undefined;
}
