import type { IncomingMessage, ServerResponse } from 'node:http';

/** Timers fire up to this many milliseconds late, so the rest of a delay is spent turning. */
const timerSlackMs = 1.5;

/** Calls back at a time of `performance.now()`, to within a few microseconds. */
function callAt(time: number, callback: () => void): void {
  const rest = time - performance.now();
  if (rest <= 0) callback();
  else if (rest > timerSlackMs) setTimeout(() => callAt(time, callback), rest - timerSlackMs);
  else setImmediate(() => callAt(time, callback));
}

/** Reads a request, then answers it a fixed time after its headers arrived. */
export function replyAfter(
  delayMs: number,
  request: IncomingMessage,
  response: ServerResponse,
  reply: (operation: string, body: string) => unknown,
): void {
  const due = performance.now() + delayMs;
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
    const body = JSON.stringify(reply(operation, Buffer.concat(chunks).toString()));
    callAt(due, () => {
      response.writeHead(200, {
        'Content-Type': request.headers['content-type'],
        'Content-Length': Buffer.byteLength(body),
        'x-amzn-RequestId': '00000000-0000-4000-8000-000000000000',
      });
      response.end(body);
    });
  });
}
