import type { AccessKey } from '../../../lab/emulator/aws-server/access-key.ts';
import { createAwsCaller } from '../../../lab/emulator/aws-server/aws-caller.ts';
import { hangUp, startScriptedService } from '../aws-json/scripted-service.ts';

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
  const service = await startScriptedService(async ({ headers, body }) => {
    const target = String(headers['x-amz-target']);
    const { TableName: table } = JSON.parse(body) as { TableName: string };
    calls.add(`${table}: dynamodb:${target.split('.')[1] ?? ''}`);
    return caller.call({ region: 'us-west-2', target, body: Buffer.from(body) }).then(
      (passed) => (response) => response.writeHead(passed.status, passed.headers).end(passed.body),
      () => hangUp,
    );
  });
  const close = () => service.close().finally(() => caller.close());
  return { endpoint: service.url, calls, close };
}
