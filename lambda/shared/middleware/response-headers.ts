import type { HttpHook, HttpMiddleware } from './http-middleware.ts';

/** Adds headers to every response, and removes the body if the method is HEAD. */
export function responseHeaders(headers: Readonly<Record<string, string>>): HttpMiddleware {
  const add: HttpHook = (request) => {
    const { response, event } = request;
    if (!response) return;
    request.response = {
      statusCode: response.statusCode,
      headers: { ...response.headers, ...headers },
      body: event.httpMethod === 'HEAD' ? '' : response.body,
    };
  };
  return { after: add, onError: add };
}
