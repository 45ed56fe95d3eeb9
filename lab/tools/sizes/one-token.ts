import { createServer, type RequestListener } from 'node:http';
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { settingsVariables } from '../../../contract/read-settings.ts';
import { tokenPath } from '../../../contract/routes.ts';
import { replyAfter } from '../../bench/backend/delayed-reply.ts';
import { DynamoDbStub } from '../../bench/backend/dynamodb-stub.ts';
import { KmsStub } from '../../bench/backend/kms-stub.ts';
import {
  awsRegion,
  createEvent,
  createItems,
  settings,
  tokenRequestBody,
  tokenRequestHeaders,
} from '../../bench/scenario.ts';
import { listenOnLoopback } from '../../emulator/loopback-server.ts';
import { root } from './loaded-files.ts';

/** The first token reads the signing keys, and the first ones open connections. */
const warmUp = 3;

async function listen(stub: KmsStub | DynamoDbStub): Promise<string> {
  const serve: RequestListener = (request, response) =>
    replyAfter(0, request, response, (operation, body) => stub.reply(operation, body));
  const server = createServer(serve);
  return `http://127.0.0.1:${await listenOnLoopback(server)}`;
}

async function startStubs(): Promise<Readonly<Record<string, string>>> {
  const kms = new KmsStub();
  const dynamodb = new DynamoDbStub();
  dynamodb.replaceItems(createItems(kms));
  return {
    AWS_ENDPOINT_URL_KMS: await listen(kms),
    AWS_ENDPOINT_URL_DYNAMODB: await listen(dynamodb),
  };
}

type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<{ statusCode: number }>;

/** Issues one token. Its log line is not of interest. */
async function issue(handler: Handler): Promise<void> {
  const headers = tokenRequestHeaders();
  const event = createEvent({ method: 'POST', path: tokenPath, headers, body: tokenRequestBody });
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = () => true;
  const { statusCode } = await handler(event, { awsRequestId: 'request' } as Context);
  process.stdout.write = write;
  if (statusCode !== 200) throw new Error(`the token endpoint answered ${statusCode}`);
}

/** A file of the deployed function, relative to the project; undefined for every other script. */
function ownFile(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  const file = relative(root, fileURLToPath(url));
  return /^(?:contract|core|adapters|lambda)\//.test(file) ? file : undefined;
}

/**
 * Issues tokens in this process, with KMS and DynamoDB on loopback, and reads from V8's precise
 * coverage which functions the last of them called.
 *
 * @returns names of functions, by the file that defines them.
 */
export async function findCalledFunctions(): Promise<ReadonlyMap<string, readonly string[]>> {
  Object.assign(process.env, settingsVariables(settings.token), await startStubs(), {
    AWS_REGION: awsRegion,
    AWS_ACCESS_KEY_ID: 'sizes',
    AWS_SECRET_ACCESS_KEY: 'sizes',
  });
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const module: unknown = await import('../../../lambda/token/handler.ts');
  const { handler } = module as { readonly handler: Handler };
  for (let count = 0; count < warmUp; count += 1) await issue(handler);
  // Each reading sets the counts back to zero.
  await session.post('Profiler.takePreciseCoverage');
  await issue(handler);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  return new Map(
    result.flatMap(({ url, functions }) => {
      const file = ownFile(url);
      const called = functions.filter(({ ranges: [whole] }) => (whole?.count ?? 0) > 0);
      if (file === undefined || called.length === 0) return [];
      return [[file, called.map(({ functionName }) => functionName || 'anonymous')] as const];
    }),
  );
}
