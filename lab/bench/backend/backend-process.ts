import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';
import { jwksPath } from '../../../contract/routes.ts';
import { publicJwkFromSpki } from '../../../core/signing-key/public-jwk.ts';
import type { BackendCommand, BackendStarted, CallCounts } from './backend.ts';
import { replyAfter } from './delayed-reply.ts';
import { DynamoDbStub } from './dynamodb-stub.ts';
import { KmsStub } from './kms-stub.ts';

const kms = new KmsStub();
const dynamodb = new DynamoDbStub();
const delays = { kms: 0, dynamodb: 0 };
let providerJwks: object = { keys: [] };
let counts: Record<string, number> = {};

async function createCertificate(): Promise<{ key: string; cert: string }> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  });
  return { key, cert };
}

type Service = 'kms' | 'dynamodb';
const stubs: Readonly<Record<Service, KmsStub | DynamoDbStub>> = { kms, dynamodb };

function serve(service: Service): RequestListener {
  return (request, response) => {
    replyAfter(delays[service], request, response, (operation, body) => {
      counts[operation] = (counts[operation] ?? 0) + 1;
      return stubs[service].reply(operation, body);
    });
  };
}

/** The issuer's JWKS, as the jwks function would serve it. */
const serveJwks: RequestListener = (request, response) => {
  const jwk = publicJwkFromSpki(Buffer.from(kms.publicSpki, 'base64'), 'RS256');
  const document = request.url === jwksPath ? { keys: [jwk] } : providerJwks;
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(document));
};

async function listen(
  listener: RequestListener,
  tls: { key: string; cert: string },
): Promise<string> {
  const server = createServer(tls, listener);
  // The functions keep their connections for as long as they like; so do KMS and DynamoDB.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function run(command: BackendCommand): CallCounts {
  if (command.items !== undefined) dynamodb.replaceItems(command.items);
  dynamodb.keepsItems = command.keepsItems ?? dynamodb.keepsItems;
  if (command.delays !== undefined) Object.assign(delays, command.delays);
  providerJwks = command.providerJwks ?? providerJwks;
  const before = counts;
  counts = {};
  return before;
}

const tls = await createCertificate();
const started: BackendStarted = {
  kmsUrl: await listen(serve('kms'), tls),
  dynamodbUrl: await listen(serve('dynamodb'), tls),
  issuer: await listen(serveJwks, tls),
  certificate: tls.cert,
  publicSpki: kms.publicSpki,
};
process.on('message', (command: BackendCommand) => process.send?.(run(command)));
process.on('disconnect', () => process.exit());
process.send?.(started);
