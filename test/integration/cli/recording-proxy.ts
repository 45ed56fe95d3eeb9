import { createServer } from 'node:http';
import type { AccessKey } from '../../../lab/emulator/aws-server/access-key.ts';
import { createAwsCaller } from '../../../lab/emulator/aws-server/aws-caller.ts';
import { listenOnLoopback } from '../../../lab/emulator/loopback-server.ts';

export interface RecordingProxy {
  readonly endpoint: string;
  /** Each call as `table: dynamodb:Action`. */
  readonly calls: Set<string>;
  close(): Promise<void>;
}

/** Passes DynamoDB calls on, signed again, and records which action each makes on which table. */
export async function startRecordingProxy(
  endpoint: string,
  accessKey: AccessKey,
): Promise<RecordingProxy> {
  const calls = new Set<string>();
  const caller = createAwsCaller({ service: 'dynamodb', endpoint, accessKey });
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks);
      const target = String(incoming.headers['x-amz-target']);
      const action = target.split('.')[1] ?? '';
      const { TableName: table } = JSON.parse(body.toString()) as { TableName: string };
      calls.add(`${table}: dynamodb:${action}`);
      caller.call({ region: 'us-west-2', target, body }).then(
        (answer) => outgoing.writeHead(answer.status, answer.headers).end(answer.body),
        () => outgoing.destroy(),
      );
    });
  });
  const port = await listenOnLoopback(server);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    calls,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        caller.close();
      }),
  };
}
