import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 as SmithySignatureV4 } from '@smithy/signature-v4';
import { assert, asyncProperty, constantFrom, date, option, record, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SignatureV4, type SignedRequest } from '../../../adapters/aws-json/signature-v4.ts';

const request: SignedRequest = {
  region: 'us-west-2',
  service: 'kms',
  host: 'kms.us-west-2.amazonaws.com',
  path: '/',
  contentType: 'application/x-amz-json-1.1',
  target: 'TrentService.Sign',
  body: '{}',
  time: Date.UTC(2026, 10, 20, 9, 30),
};
const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };

function headerMap(flat: readonly string[]): Record<string, string> {
  const pairs = flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1]]] : []));
  return Object.fromEntries(pairs) as Record<string, string>;
}

/** What the SDK's signer needs of a hash, on node:crypto. */
class Sha256 {
  readonly #hash;
  constructor(secret?: string | Uint8Array) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret);
  }
  update(data: string | Uint8Array): void {
    this.#hash.update(data);
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }
  reset(): void {}
}

interface SignedHeaders {
  readonly headers: Readonly<Record<string, string>>;
}

async function signWithSdk(
  { region, service, host, path, contentType, target, body, time }: SignedRequest,
  given: Parameters<SignatureV4['sign']>[1],
): Promise<string | undefined> {
  const signer = new SmithySignatureV4({
    region,
    service,
    sha256: Sha256 as never,
    applyChecksum: false,
    credentials: given,
  });
  const headers = { host, 'content-type': contentType, 'x-amz-target': target };
  const signed = await signer.sign(
    { method: 'POST', protocol: 'https:', hostname: host, path, query: {}, headers, body } as never,
    { signingDate: new Date(time) },
  );
  return (signed as unknown as SignedHeaders).headers['authorization'];
}

describe('Signature Version 4', () => {
  it('signs every request as the SDK does', async () => {
    const signature = new SignatureV4();
    const requests = record({
      region: constantFrom('us-west-2', 'eu-central-1'),
      service: constantFrom('kms', 'dynamodb'),
      host: constantFrom('kms.us-west-2.amazonaws.com', '127.0.0.1:8443'),
      path: constantFrom('/', '/base', '/base/a%20b', "/x!'()*y"),
      contentType: constantFrom('application/x-amz-json-1.0'),
      target: constantFrom('TrentService.Sign', 'DynamoDB_20120810.GetItem'),
      body: string({ unit: 'grapheme' }),
      time: date({ min: new Date('2020-01-01'), max: new Date('2099-01-01'), noInvalidDate: true }),
      secretAccessKey: string({ minLength: 1 }),
      sessionToken: option(constantFrom('token//with+chars=='), { nil: undefined }),
    });
    await assert(
      asyncProperty(requests, async ({ secretAccessKey, sessionToken, time, ...rest }) => {
        const given = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey, sessionToken };
        const ours = signature.sign({ ...rest, time: time.getTime() }, given);
        const theirs = await signWithSdk({ ...rest, time: time.getTime() }, given);
        expect(headerMap(ours)['authorization']).toBe(theirs);
      }),
    );
  });

  it('derives a new key for another access key, day, region or service', () => {
    const signature = new SignatureV4();
    const others: readonly (readonly [SignedRequest, typeof credentials])[] = [
      [request, credentials],
      [request, { ...credentials, secretAccessKey: 'another' }],
      [{ ...request, time: request.time + 86_400_000 }, credentials],
      [{ ...request, region: 'us-east-1' }, credentials],
      [{ ...request, service: 'dynamodb' }, credentials],
    ];
    const kept = others.map(([each, given]) => signature.sign(each, given));
    const fresh = others.map(([each, given]) => new SignatureV4().sign(each, given));
    expect(kept).toEqual(fresh);
    expect(new Set(kept.map((headers) => headers.at(-1))).size).toBe(others.length);
  });

  it('counts the body in bytes', () => {
    const signed = new SignatureV4().sign({ ...request, body: 'é' }, credentials);
    expect(headerMap(signed)['content-length']).toBe('2');
  });
});
