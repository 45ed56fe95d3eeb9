import { preflightMaxAge } from '../../contract/limits.ts';
import { matchesEtag, strongEtag } from '../../core/document/etag.ts';
import type { Exchange } from './exchange.ts';
import type { HttpRequest, HttpResponse } from './http-message.ts';

/** A public document. Every client can read it, including browsers on any page (RFC 9700 §2.6). */
export interface Document {
  readonly body: string;
  readonly etag: string;
  /** Seconds for which every client may cache it. */
  readonly maxAge: number;
}

/** On every response of a function that serves documents. */
export const documentHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag',
} as const;

export function createDocument(content: object, maxAge: number): Document {
  const body = JSON.stringify(content);
  return { body, etag: strongEtag(body), maxAge };
}

function preflightResponse(): HttpResponse {
  const headers = {
    Allow: 'GET, HEAD, OPTIONS',
    'Access-Control-Allow-Methods': 'GET, HEAD',
    'Access-Control-Allow-Headers': 'If-None-Match',
    'Access-Control-Max-Age': String(preflightMaxAge),
  };
  return { statusCode: 204, headers, body: '' };
}

/** Answers GET, HEAD and OPTIONS, including conditional requests (RFC 9110 §13). */
export async function serveDocument(
  request: HttpRequest,
  exchange: Exchange,
  load: () => Document | Promise<Document>,
): Promise<HttpResponse> {
  if (request.method === 'OPTIONS') return preflightResponse();
  const { body, etag, maxAge } = await load();
  const headers = { ETag: etag, 'Cache-Control': `public, max-age=${maxAge}` };
  if (matchesEtag(request.headerValues('if-none-match'), etag)) {
    exchange.outcome = 'not_modified';
    return { statusCode: 304, headers, body: '' };
  }
  return { statusCode: 200, headers: { 'Content-Type': 'application/json', ...headers }, body };
}
