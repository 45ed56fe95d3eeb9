import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createCallerIdentity } from '../../../adapters/sts/caller-identity.ts';
import { closeServer, listenOnLoopback } from '../../../lab/emulator/loopback-server.ts';

const arn = 'arn:aws:sts::123456789012:assumed-role/portal/session';
const identity = `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult><Arn>${arn}</Arn><UserId>u</UserId><Account>123456789012</Account></GetCallerIdentityResult><ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></GetCallerIdentityResponse>`;
const expired =
  '<ErrorResponse><Error><Type>Sender</Type><Code>ExpiredToken</Code><Message>no</Message></Error></ErrorResponse>';

let server: Server;
let calls: number;
let isDown: boolean;

beforeEach(async () => {
  calls = 0;
  isDown = false;
  server = createServer((request, response) => {
    calls += 1;
    request.resume();
    response.writeHead(isDown ? 403 : 200, { 'content-type': 'text/xml' });
    response.end(isDown ? expired : identity);
  });
  const port = await listenOnLoopback(server);
  vi.stubEnv('AWS_ENDPOINT_URL_STS', `http://127.0.0.1:${port}`);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await closeServer(server);
});

const open = () =>
  createCallerIdentity({
    region: 'us-west-2',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });

it('asks once who calls', async () => {
  const whoCalls = open();
  expect(await Promise.all([whoCalls(), whoCalls()])).toEqual([arn, arn]);
  expect(await whoCalls()).toBe(arn);
  expect(calls).toBe(1);
});

it('asks again after a failure: a portal lives longer than an outage', async () => {
  const whoCalls = open();
  isDown = true;
  await expect(whoCalls()).rejects.toThrow();
  isDown = false;
  expect(await whoCalls()).toBe(arn);
});
