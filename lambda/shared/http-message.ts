/** A request of the REST API. Only the values that API Gateway sets can be trusted. */
export interface HttpRequest {
  readonly method: string;
  /** The route's path, not the one that the client sent. */
  readonly path: string;
  /** The values of a header, by its name in lower case. The request may use any case. */
  readonly headerValues: (lowerName: string) => readonly string[];
  readonly queryNames: readonly string[];
  readonly body: Uint8Array;
  /** Address of the TCP peer, from API Gateway. */
  readonly sourceIp: string;
  /** When API Gateway received the request, by its own clock, in milliseconds since the epoch. */
  readonly receivedAt: number;
}

/** The result of a function with a proxy integration. */
export interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function jsonResponse(
  statusCode: number,
  body: object,
  headers: Readonly<Record<string, string>>,
): HttpResponse {
  return {
    statusCode,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}
