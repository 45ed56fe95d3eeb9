import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  computeSignature,
  type SignedParts,
} from '../../../../lab/emulator/aws-server/request-signature.ts';

const credentials = { accessKeyId: 'LOCALEXAMPLE', secretAccessKey: 'example-secret' };
const time = '20261120T093000Z';

interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly region: string;
}

/** What AWS's own code computes, as an SDK does before it sends. */
async function signBySdk({ region, ...request }: Request): Promise<string> {
  const signer = new SignatureV4({
    service: 'lambda',
    region,
    credentials,
    applyChecksum: false,
    sha256: Hash.bind(null, 'sha256'),
  });
  const { headers } = await signer.sign(
    { ...request, protocol: 'http:', hostname: '127.0.0.1' },
    { signingDate: new Date('2026-11-20T09:30:00Z') },
  );
  const authorization = headers['authorization'] ?? '';
  const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? [];
  return `${names.join(';')} ${/Signature=(\w+)/.exec(authorization)?.[1]}`;
}

/** The same request as a server receives it. */
function signAsReceived(request: Request): string {
  const { method, path, query, body, region } = request;
  const headers: Readonly<Record<string, string>> = { ...request.headers, 'x-amz-date': time };
  const signedHeaders = Object.keys(headers).toSorted();
  const text = Object.entries(query).map((pair) => pair.map(encodeURIComponent).join('='));
  const parts: SignedParts = {
    method,
    url: text.length === 0 ? path : `${path}?${text.join('&')}`,
    headerText: (name) => headers[name] ?? '',
    signedHeaders,
    body: Buffer.from(body),
  };
  const { secretAccessKey } = credentials;
  return `${signedHeaders.join(';')} ${computeSignature(parts, { secretAccessKey, time, region, service: 'lambda' })}`;
}

const word = fc.stringMatching(/^[\w.~!'()* :%-]{1,8}$/);
const requests = fc.record({
  method: fc.constantFrom('GET', 'POST'),
  path: fc.array(word).map((words) => `/${words.map(encodeURIComponent).join('/')}`),
  query: fc.dictionary(word, word),
  headers: fc.record({
    host: fc.constant('127.0.0.1:8083'),
    'x-amz-target': fc.stringMatching(/^[ -~]{0,12}$/),
  }),
  body: fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
  // More than the number of derived keys that are kept.
  region: fc.nat(200).map((number) => `us-test-${number}`),
});

describe('the signature of a request', () => {
  it('is the one that the SDK sends', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        expect(signAsReceived(request)).toBe(await signBySdk(request));
      }),
    );
  });

  it('differs with each part that it covers', () => {
    const request = {
      method: 'POST',
      path: '/a',
      query: { b: '1', 'b-c': '2' },
      headers: { host: 'h', 'x-amz-target': 't' },
      body: '{}',
      region: 'us-west-2',
    };
    const changed = [
      { method: 'GET' },
      { path: '/a/b' },
      { query: { b: '2', 'b-c': '2' } },
      { headers: { host: 'h', 'x-amz-target': 'u' } },
      { body: '{ }' },
      { region: 'us-east-1' },
    ];
    const signatures = [{}, ...changed].map((change) => signAsReceived({ ...request, ...change }));
    expect(new Set(signatures).size).toBe(changed.length + 1);
  });
});
