import type { PortOptions } from '../port.ts';

/** Why a document was not fetched. A closed set, so that it reveals nothing that a server answered. */
export const fetchProblems = {
  address: 'its host is not on the public internet',
  unreachable: 'its host does not answer over https',
  untrusted: 'its certificate is not trusted',
  timeout: 'it did not answer in time',
  redirect: 'it redirects, and redirects are not followed',
  status: 'it did not answer with status 200',
  too_large: 'its answer is too large',
  not_json: 'its answer is not JSON',
} as const;

export type FetchProblem = keyof typeof fetchProblems;

/** A document of an identity provider could not be fetched. */
export class FetchError extends Error {
  override readonly name = 'FetchError';
  readonly problem: FetchProblem;

  /** @param options `hint`: what may have been meant. */
  constructor(
    url: string,
    problem: FetchProblem,
    options: ErrorOptions & { readonly hint?: string } = {},
  ) {
    const hint = options.hint === undefined ? '' : `; ${options.hint}`;
    super(`${url} cannot be fetched: ${fetchProblems[problem]}${hint}`, options);
    this.problem = problem;
  }
}

/**
 * Fetches a JSON document of an identity provider, with every guard that a URL from outside needs.
 *
 * @throws {InputError} if the URL itself is not allowed.
 * @throws {FetchError} if it does not return a JSON document.
 */
export type FetchJson = (url: string, options?: FetchOptions) => Promise<unknown>;

interface FetchOptions extends PortOptions {
  /** Milliseconds, if that is less than every fetch may take. */
  readonly timeout?: number | undefined;
  /** Whether a customer chose the host. */
  readonly isOwn?: boolean | undefined;
}
