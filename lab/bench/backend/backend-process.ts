import type { RequestListener } from 'node:http';
import { jwksPath } from '../../../contract/routes.ts';
import { publicJwkFromSpki } from '../../../core/signing-key/public-jwk.ts';
import { answerParent } from '../../support/child-script.ts';
import { createLoopbackCertificate, serveHttps } from '../../support/loopback-https.ts';
import type { BackendCommand, BackendStarted, CallCounts } from './backend.ts';
import { replyAfter } from './delayed-reply.ts';
import { DynamoDbStub } from './dynamodb-stub.ts';
import { KmsStub } from './kms-stub.ts';

const kms = new KmsStub();
const dynamodb = new DynamoDbStub();
const delays = { kms: 0, dynamodb: 0 };
let counts: Record<string, number> = {};

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
  response.writeHead(request.url === jwksPath ? 200 : 404, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ keys: [jwk] }));
};

function run(command: BackendCommand): CallCounts {
  if (command.items !== undefined) dynamodb.replaceItems(command.items);
  if (command.delays !== undefined) Object.assign(delays, command.delays);
  const before = counts;
  counts = {};
  return before;
}

const certificate = await createLoopbackCertificate();

/** The functions keep their connections for as long as they like; so do KMS and DynamoDB. */
async function listen(listener: RequestListener): Promise<string> {
  return `https://127.0.0.1:${(await serveHttps(certificate, listener, 0)).port}`;
}

const started: BackendStarted = {
  pid: process.pid,
  kmsUrl: await listen(serve('kms')),
  dynamodbUrl: await listen(serve('dynamodb')),
  issuer: await listen(serveJwks),
  certificate: certificate.cert,
  publicSpki: kms.publicSpki,
};
answerParent(started, run);
