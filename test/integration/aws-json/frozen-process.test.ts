import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAwsJsonClient } from '../../../adapters/aws-json/aws-json-client.ts';
import { callProfiles } from '../../../adapters/call-profile.ts';

/** Answers on a thread of its own, so that it goes on while the test's thread stands still. */
const server = `
const { createServer } = require('node:http');
const { parentPort, workerData } = require('node:worker_threads');
const answered = new Int32Array(workerData);
createServer((request, response) => {
  request.resume().on('end', () => {
    response.end('{"Item":{"sealed":{"B":"AQID"}}}', () => {
      Atomics.store(answered, 0, 1);
      Atomics.notify(answered, 0);
    });
  });
}).listen(0, '127.0.0.1', function () { parentPort.postMessage(this.address().port); });
`;

const requestTimeout = 50;

async function start() {
  const answered = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(server, { eval: true, workerData: answered.buffer });
  const [port] = (await once(worker, 'message')) as [number];
  const client = createAwsJsonClient({
    service: 'dynamodb',
    profile: { ...callProfiles.optional, requestTimeout },
    maxSockets: 1,
    environment: {
      AWS_REGION: 'us-west-2',
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'secret',
    },
  });
  onTestFinished(async () => {
    client.close();
    await worker.terminate();
  });
  /** As Lambda does between two events: nothing of this thread runs until the answer is there. */
  const freeze = () => {
    Atomics.wait(answered, 0, 0);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * requestTimeout);
  };
  return { client, freeze };
}

describe('a process that was frozen', () => {
  it('takes the answer that came meanwhile, although the time for it is over', async () => {
    const { client, freeze } = await start();
    const sent = Promise.withResolvers<void>();
    const output = client.call('GetItem', {}, { onSent: sent.resolve });
    await sent.promise;
    freeze();
    await expect(output).resolves.toEqual({ Item: { sealed: { B: 'AQID' } } });
  });
});
