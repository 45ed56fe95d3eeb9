import { isJsonObject } from '../../../contract/json-object.ts';
import type { GatewayResponse } from './gateway-route.ts';
import { nameOnTheWire } from './headers.ts';

/** The output of a function does not have the format of a Lambda proxy integration. */
class MalformedProxyResponseError extends Error {
  override readonly name = 'MalformedProxyResponseError';
}

const members = new Set(['statusCode', 'headers', 'multiValueHeaders', 'body', 'isBase64Encoded']);

function readStatus(value: unknown): number {
  const status = typeof value === 'string' ? Number(value) : value;
  if (typeof status === 'number' && Number.isInteger(status) && status >= 100 && status <= 599) {
    return status;
  }
  throw new MalformedProxyResponseError('statusCode is not an HTTP status code');
}

function readValue(name: string, value: unknown): string {
  if (['string', 'number', 'boolean'].includes(typeof value)) return String(value);
  throw new MalformedProxyResponseError(`the header ${name} is neither text, number nor boolean`);
}

function readObject(name: string, value: unknown): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  if (isJsonObject(value)) return value;
  throw new MalformedProxyResponseError(`${name} is not an object`);
}

/** `headers` and `multiValueHeaders` in one list. An equal pair occurs only once. */
function readHeaders(output: Readonly<Record<string, unknown>>): Map<string, string[]> {
  const merged = new Map<string, string[]>();
  const add = (name: string, value: unknown): void => {
    const wireName = nameOnTheWire(name);
    if (wireName === undefined) return;
    const text = readValue(name, value);
    const values = merged.get(wireName) ?? [];
    merged.set(wireName, values.includes(text) ? values : [...values, text]);
  };
  const several = readObject('multiValueHeaders', output['multiValueHeaders']);
  for (const [name, values] of Object.entries(several)) {
    if (!Array.isArray(values)) {
      throw new MalformedProxyResponseError(`the multi-value header ${name} is not a list`);
    }
    for (const value of values) add(name, value);
  }
  for (const [name, value] of Object.entries(readObject('headers', output['headers']))) {
    add(name, value);
  }
  return merged;
}

function readBody(output: Readonly<Record<string, unknown>>): Buffer {
  const body = output['body'] ?? '';
  if (typeof body !== 'string') throw new MalformedProxyResponseError('body is not text');
  if (typeof (output['isBase64Encoded'] ?? false) !== 'boolean') {
    throw new MalformedProxyResponseError('isBase64Encoded is not a boolean');
  }
  // An API without binary media types sends a base64 body as it is.
  return Buffer.from(body);
}

/**
 * Reads what a function returned.
 *
 * @throws {MalformedProxyResponseError} which the client sees as a failed integration.
 */
export function readProxyResponse(output: unknown): GatewayResponse {
  if (!isJsonObject(output)) throw new MalformedProxyResponseError('the response is not an object');
  const unknown = Object.keys(output).find((name) => !members.has(name));
  if (unknown !== undefined) {
    throw new MalformedProxyResponseError(`the response has the unknown member ${unknown}`);
  }
  const headers = readHeaders(output);
  const names = [...headers.keys()].map((name) => name.toLowerCase());
  if (!names.includes('content-type')) headers.set('Content-Type', ['application/json']);
  return { status: readStatus(output['statusCode']), headers, body: readBody(output) };
}
