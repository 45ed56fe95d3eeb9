import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, get } from 'node:https';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { closeServer, listenOnLoopback } from '../../../../lab/emulator/loopback-server.ts';
import { loadCertificate } from '../../../../lab/local/certificate.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const now = Date.now();
const day = 86_400_000;

describe('the certificate of --https', () => {
  it.each(['localhost', '127.0.0.1'])('is trusted through its authority as %s', async (host) => {
    const { caPath, cert, key } = await loadCertificate(temporaryDirectory(), now);
    const server = createServer({ cert, key }, (_, response) => response.end('ok'));
    const port = await listenOnLoopback(server, { port: 0 }, 'test');
    onTestFinished(() => closeServer(server));
    const status = await new Promise((resolve, reject) => {
      const ca = readFileSync(caPath);
      get({ host, port, ca, family: 4, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on('error', reject);
    });
    expect(status).toBe(200);
  });

  it('is made once, only for its owner, and replaced before it ends', async () => {
    const directory = join(temporaryDirectory(), 'tls');
    const first = await loadCertificate(directory, now);
    const again = await loadCertificate(directory, now + 700 * day);
    const replaced = await loadCertificate(directory, now + 790 * day);
    expect(again).toEqual(first);
    expect(replaced.cert).not.toBe(first.cert);
    expect(readdirSync(directory).sort()).toEqual(['ca.pem', 'cert.pem', 'key.pem']);
    expect(statSync(join(directory, 'key.pem')).mode & 0o777).toBe(0o600);
  });

  it('names only loopback, and its authority may sign no further authority', async () => {
    const { caPath, cert } = await loadCertificate(temporaryDirectory(), now);
    const authority = new X509Certificate(readFileSync(caPath));
    const server = new X509Certificate(cert);
    expect(authority.ca).toBe(true);
    expect(server.ca).toBe(false);
    expect(server.verify(authority.publicKey)).toBe(true);
    expect(server.subjectAltName).toBe(
      'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
    );
  });
});
