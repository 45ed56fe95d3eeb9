/** A request of the REST API. Nothing in it can be trusted but what API Gateway says itself. */
export interface HttpRequest {
  readonly method: string;
  /** The route's path, not what the client typed. */
  readonly path: string;
  /** The values of a header, by its name in lower case. The request may use any case. */
  readonly headerValues: (lowerName: string) => readonly string[];
  readonly queryNames: readonly string[];
  readonly body: Uint8Array;
  /** Address of the TCP peer, as API Gateway saw it. */
  readonly sourceIp: string;
  /** When API Gateway got it, by its own clock, in milliseconds since the epoch. */
  readonly receivedAt: number;
}

/** What a function of a proxy integration returns. */
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
