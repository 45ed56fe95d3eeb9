import { get as getHttp, type IncomingMessage } from 'node:http';
import { Agent, get as getHttps } from 'node:https';
import { UnavailableError } from '../../core/errors.ts';
import type { PortOptions } from '../../core/port.ts';

export interface FetchJwksOptions {
  /** Certificates to trust besides, PEM: the local run's. */
  readonly ca?: string | undefined;
}

/** Milliseconds for one region's answer: longer than a cold start of its function. */
const timeout = 5000;
/** Twenty keys of the largest kind; a region publishes three or four. */
const maxBytes = 128 * 1024;

/**
 * Fetches a JWKS of this service from an address that the deployment knows, without any cache in
 * between: plain http for the loopback of the local run alone.
 *
 * @throws {UnavailableError} where it is not answered with JSON in time.
 */
export type FetchJwks = (url: string, options?: PortOptions) => Promise<unknown>;

const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

function open(url: URL, options: FetchJwksOptions, signal: AbortSignal): Promise<IncomingMessage> {
  const headers = { accept: 'application/json', 'cache-control': 'no-cache' };
  return new Promise((resolve, reject) => {
    const isPlain = url.protocol === 'http:' && loopback.has(url.hostname);
    const outgoing = isPlain
      ? getHttp(url, { headers, signal }, resolve)
      : getHttps(url, { headers, signal, agent: new Agent({ ca: options.ca }) }, resolve);
    outgoing.on('error', reject);
  });
}

async function readJson(response: IncomingMessage): Promise<unknown> {
  if (response.statusCode !== 200) throw new Error(`it answered ${response.statusCode}`);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw new Error('its answer is too large');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
}

export function createFetchJwks(options: FetchJwksOptions = {}): FetchJwks {
  return async (text, port = {}) => {
    const deadline = AbortSignal.timeout(timeout);
    const signal = port.signal === undefined ? deadline : AbortSignal.any([deadline, port.signal]);
    try {
      const response = await open(new URL(text), options, signal);
      return await readJson(response).finally(() => response.destroy());
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : 'it does not answer';
      throw new UnavailableError(`${text}: ${reason}`, { cause });
    }
  };
}
