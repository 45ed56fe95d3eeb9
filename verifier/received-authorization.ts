import { BearerRefusal } from '../core/verifier/bearer-refusal.ts';

/** The used part of a request of node:http or node:http2, or of a host that imitates them. */
export interface ReceivedRequest {
  /** Alternating names and values. It has each occurrence of a header. */
  readonly rawHeaders?: readonly string[] | undefined;
  /** With only the first of two Authorization headers in node:http, and both in node:http2. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined;
  readonly socket?: object | null | undefined;
}

/** Headers of a request that older versions of Node keep if the server sets no bound. */
const defaultMaxHeadersCount = 1000;

/**
 * Every value of a header, in the order received.
 *
 * @param rawHeaders alternating names and values, as in node:http.
 * @param name in lower case.
 */
export function headerValues(rawHeaders: readonly string[], name: string): readonly string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index] ?? '';
    // Most names differ in length, which is cheap to compare.
    if (candidate.length === name.length && candidate.toLowerCase() === name) {
      values.push(rawHeaders[index + 1] ?? '');
    }
  }
  return values;
}

/**
 * Refuses a request of which Node may have dropped headers. Older versions drop those above the
 * limit and say nothing; newer ones answer 431.
 *
 * @throws {BearerRefusal}
 */
export function refuseDroppedHeaders({ rawHeaders = [], socket }: ReceivedRequest): void {
  const { server } = (socket ?? {}) as {
    readonly server?: { readonly maxHeadersCount?: number | null } | null;
  };
  const most = server?.maxHeadersCount ?? defaultMaxHeadersCount;
  if (most > 0 && rawHeaders.length >= 2 * most) throw new BearerRefusal('headers_dropped');
}

/**
 * The values of `Authorization`, for {@link VerifierRequest}. It sees two headers in each host that
 * shows them.
 *
 * @throws {BearerRefusal} if Node may have dropped headers of the request.
 *
 * @example
 * const authorization = authorizationOf(request);
 */
export function authorizationOf(request: ReceivedRequest): readonly string[] {
  refuseDroppedHeaders(request);
  return valuesOf(request, 'authorization');
}

/** Each `DPoP` header of a request, for `VerifierRequest.proofs`. */
export function proofsOf(request: ReceivedRequest): readonly string[] {
  return valuesOf(request, 'dpop');
}

/** Every value of a header, by its name in lower case. */
export function valuesOf(
  { rawHeaders = [], headers }: ReceivedRequest,
  name: string,
): readonly string[] {
  if (rawHeaders.length > 0) return headerValues(rawHeaders, name);
  const value = headers?.[name];
  return typeof value === 'string' ? [value] : (value ?? []);
}
