import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AccessKey } from '../aws-server/access-key.ts';
import { createAwsCaller } from '../aws-server/aws-caller.ts';
import { AwsError, renderAwsError } from '../aws-server/aws-error.ts';
import { type RunningService, startAwsServer } from '../aws-server/aws-server.ts';
import type { VerifiedRequest } from '../aws-server/verify-signature.ts';
import type { HttpResponse } from '../http-exchange.ts';
import type { PortChoice } from '../loopback-server.ts';
import { type AwsCall, isStrong, readAwsCall } from './aws-call.ts';
import { awsErrorStatus, type FaultyService } from './aws-error-codes.ts';
import type { AnswerFault, Faults } from './faults.ts';

/** Makes a call. */
export type Forward = () => Promise<HttpResponse>;

/**
 * Knows the past of items, and answers reads whose view ends at a horizon.
 *
 * @param horizon milliseconds since the epoch; undefined sees everything.
 */
export type ReadPast = (
  call: AwsCall,
  forward: Forward,
  horizon: number | undefined,
) => Promise<HttpResponse>;

interface FaultyServiceOptions {
  readonly service: FaultyService;
  /** The service without faults. */
  readonly endpoint: string;
  /** The access key of callers, and for calls to the service. */
  readonly accessKey: AccessKey;
  readonly faults: Faults;
  readonly port?: PortChoice;
  readonly readPast?: ReadPast;
}

/** DynamoDB takes requests of up to 16 MiB; nothing here sends a hundredth of it. */
const maxRequestBytes = 1024 * 1024;

/** The response of a disconnected region to a call that needs the other regions. */
const isolatedCode = 'InternalServerError';

/** Parts of a slow answer. */
const slowParts = 10;

/** The message of an error. A denial names the permission, as AWS does. */
function errorMessage(code: string, { service, operation, table }: AwsCall): string {
  if (code !== 'AccessDeniedException') return 'a fault that was asked for';
  const action = `${service}:${operation}`;
  return `User: arn:aws:sts::000000000000:assumed-role/local/local is not authorized to perform: ${action} on resource: ${table ?? '*'} because no identity-based policy allows the ${action} action`;
}

/** The error of a rule, in the service's own shape. */
function faultAnswer(call: AwsCall, code: string): HttpResponse {
  const status = awsErrorStatus[call.service][code] ?? 400;
  return renderAwsError(call.service, new AwsError(code, errorMessage(code, call), status));
}

function writeHead(response: ServerResponse, { status, headers, body }: HttpResponse): void {
  const {
    connection: _,
    'keep-alive': __,
    'transfer-encoding': ___,
    // Checksum of the service's own body, which a view of the past changes.
    'x-amz-crc32': ____,
    ...passed
  } = headers;
  response.writeHead(status, { ...passed, 'content-length': body.length });
}

async function sendSlowly(response: ServerResponse, body: Buffer, time: number): Promise<void> {
  const size = Math.ceil(body.length / slowParts);
  for (let part = 0; part < slowParts; part += 1) {
    await sleep(time / slowParts);
    response.write(body.subarray(part * size, (part + 1) * size));
  }
  response.end();
}

async function send(
  response: ServerResponse,
  answer: HttpResponse,
  fault: AnswerFault | undefined,
): Promise<void> {
  if (fault?.kind === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  writeHead(response, answer);
  if (fault?.kind === 'slow') return sendSlowly(response, answer.body, fault.milliseconds);
  if (fault?.kind !== 'partial') {
    response.end(answer.body);
    return;
  }
  response.write(answer.body.subarray(0, fault.bytes), () => response.socket?.destroy());
}

/** Starts a server in front of a service that applies the faults to its calls. */
export async function startFaultyService(options: FaultyServiceOptions): Promise<RunningService> {
  const { service, faults, readPast = (_call, forward) => forward() } = options;
  const caller = createAwsCaller(options);

  async function answer(
    { headers, body, region }: VerifiedRequest,
    response: ServerResponse,
  ): Promise<void> {
    const call = readAwsCall(service, headers, body);
    const treatment = faults.treat(call);
    if (treatment.delay > 0) await sleep(treatment.delay);
    if (treatment.instead === 'reset') {
      response.socket?.resetAndDestroy();
      return;
    }
    const code =
      treatment.instead?.code ??
      (treatment.isolated === true && isStrong(call) ? isolatedCode : undefined);
    const target = String(headers['x-amz-target']);
    const forward = () => caller.call({ region, target, body });
    const result =
      code === undefined
        ? await readPast(call, forward, treatment.horizon)
        : faultAnswer(call, code);
    await send(response, result, treatment.answer);
  }

  const server = await startAwsServer(`${service} faults`, {
    ...options,
    maxRequestBytes,
    // When the service is gone, its callers' connections close.
    answer: (request, response) => answer(request, response).catch(() => void response.destroy()),
  });
  return {
    ...server,
    close: async () => {
      await server.close();
      caller.close();
    },
  };
}
