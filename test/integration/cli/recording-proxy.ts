import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RecordingProxy {
  readonly endpoint: string;
  /** Each call as `table: dynamodb:Action`. */
  readonly calls: Set<string>;
  close(): Promise<void>;
}

/** Passes DynamoDB calls on and notes which action each makes on which table. */
export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const calls = new Set<string>();
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks);
      const action = String(incoming.headers['x-amz-target']).split('.')[1] ?? '';
      const { TableName: table } = JSON.parse(body.toString()) as { TableName: string };
      calls.add(`${table}: dynamodb:${action}`);
      const { method, headers } = incoming;
      const passed = request(target, { method, headers }, (response) => {
        outgoing.writeHead(response.statusCode ?? 500, response.headers);
        response.pipe(outgoing);
      });
      passed.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
