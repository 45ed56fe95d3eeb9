/**
 * What a REST API does to headers of a Lambda proxy integration: AWS, "Amazon API Gateway
 * important notes", table of dropped, remapped and modified headers.
 */
const droppedFromRequests = new Set([
  'connection',
  'content-md5',
  'expect',
  'max-forwards',
  'proxy-authenticate',
  'server',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'www-authenticate',
]);

const droppedFromResponses = new Set([
  'expect',
  'host',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
]);

/** Sent as `x-amzn-Remapped-…`. Browsers would open a login window for `WWW-Authenticate`. */
const remappedInResponses = new Set([
  'authorization',
  'connection',
  'content-md5',
  'date',
  'max-forwards',
  'server',
  'user-agent',
  'www-authenticate',
]);

/** Whether a request's header reaches the function. */
export function reachesFunction(name: string, value: string): boolean {
  const lowerName = name.toLowerCase();
  if (lowerName === 'authorization') return !value.startsWith('AWS4-HMAC-SHA256');
  return !droppedFromRequests.has(lowerName);
}

/** The name of a function's header for the client; undefined if it is dropped. */
export function nameOnTheWire(name: string): string | undefined {
  const lowerName = name.toLowerCase();
  if (droppedFromResponses.has(lowerName)) return undefined;
  return remappedInResponses.has(lowerName) ? `x-amzn-Remapped-${lowerName}` : name;
}

/**
 * The values of one header in a list of alternating names and values.
 *
 * @param lowerName in lower case.
 */
export function headerValues(rawHeaders: readonly string[], lowerName: string): readonly string[] {
  return rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === lowerName,
  );
}
