import { request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startRuntimeApi } from '../../../../lab/emulator/runtime-api/runtime-api-server.ts';
import { stepLimit } from '../../../../lab/support/hang-limit.ts';

function get(address: string, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(`http://${address}/2018-06-01/runtime/invocation/next`, { headers });
    sent.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('the local Lambda Runtime API', () => {
  it.each([
    ['a web page', { origin: 'https://evil.example' }],
    ['a link in a browser', { 'sec-fetch-site': 'none' }],
    ['a name that a web page has bound to this address', { host: 'evil.example' }],
  ])('gives no event to %s', async (_, headers) => {
    const api = await startRuntimeApi({ functionArn: 'arn:aws:lambda:x', timeoutMs: stepLimit });
    onTestFinished(() => api.close());
    // Waits in line for the function.
    api.invoke({ headers: { Authorization: 'Basic secret' } }).catch(() => undefined);
    expect(await get(api.address, headers)).toBe(403);
    expect(await get(api.address, {})).toBe(200);
  });
});
