import { localApi } from '../../emulator/gateway/request-context.ts';
import type { Access } from './access.ts';

/** The calls that Lambda makes for a function, with the function's role. */
export interface LambdaService {
  /** Whether the function's log accepts lines. CloudWatch drops those of other functions. */
  readonly mayLog: (functionName: string) => Promise<boolean>;
  /** Sends a trace to X-Ray if the role allows it. Otherwise the function runs without tracing. */
  readonly trace: (functionName: string) => void;
}

const traceActions = ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'];
const logActions = ['logs:CreateLogStream', 'logs:PutLogEvents'];

/** Its log group is named after the function. The stream is the resource of both actions. */
function logStream(awsRegion: string, functionName: string): string {
  const group = `/aws/lambda/${functionName}`;
  return `arn:aws:logs:${awsRegion}:${localApi.accountId}:log-group:${group}:log-stream:local`;
}

export function createLambdaService(awsRegion: string, access: Access): LambdaService {
  return {
    mayLog: async (name) => {
      const allowed = await Promise.all(
        logActions.map((action) => access.mayService(name, action, logStream(awsRegion, name))),
      );
      return allowed.every(Boolean);
    },
    trace: (name) => {
      for (const action of traceActions) void access.mayService(name, action, '*');
    },
  };
}
