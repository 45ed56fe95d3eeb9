/** The only version that there is: id of the trace, id of the caller's part, flags. */
const traceparent = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/**
 * The trace of a caller, under which a log line of its request is found. Anyone may send any: it
 * decides nothing (W3C Trace Context §3.2).
 *
 * @param values each header `traceparent` of the request.
 * @returns undefined unless there is one, and it is well-formed.
 */
export function readTraceId([value = '', ...more]: readonly string[]): string | undefined {
  return more.length === 0 ? traceparent.exec(value)?.[1] : undefined;
}
