import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { useLocalService } from '../lab/local/use-local-service.ts';

const service = useLocalService();

const openid = '/.well-known/openid-configuration';
const oauth = '/.well-known/oauth-authorization-server';
const jwks = '/.well-known/jwks.json';
const documents = [openid, oauth, jwks] as const;

function get(path: string): Promise<Response> {
  return fetch(service().issuer + path);
}

/** fetch chooses Host itself; this does not. */
function getAs(path: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const { port } = new URL(service().issuer);
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
    })
      .on('error', reject)
      .end();
  });
}

describe.each(documents)('%s', (path) => {
  it('is the same bytes with one slash at the end, and at no other path', async () => {
    expect(await getAs(`${path}/`, {})).toBe(await (await get(path)).text());
    for (const other of [`${path}//`, `/${path}`, `${path}/x`]) {
      expect(await getAs(other, {})).toContain('"not_found"');
    }
  });
});

describe('a path where nothing is', () => {
  it.each([
    '/',
    '/api/v1',
    '/api/v1/oauth',
    '/api/v1/oauth/token//',
    '/api/v1/oauth/token%20',
    '/api/v2/oauth/token',
    '/.well-known/JWKS.json',
    '/health/x',
    '/favicon.ico',
  ])('%s answers 404 in JSON', async (path) => {
    const response = await get(path);
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toEqual({
      error: 'not_found',
      error_description: 'there is nothing at this path',
    });
  });
});
