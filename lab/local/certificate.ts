import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GenerateResult, generate } from 'selfsigned';
import { writePrivateFile } from '../emulator/private-file.ts';

const day = 86_400_000;
/** Apple limits the lifetime of a server certificate to 825 days. */
const lifetime = 800 * day;
/** A certificate that expires sooner is replaced at start. */
const minRemaining = 30 * day;

const keyAndHash = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;

function generateAuthority(notAfterDate: Date): Promise<GenerateResult> {
  return generate([{ name: 'commonName', value: 'authorization server on localhost, CA' }], {
    ...keyAndHash,
    notAfterDate,
    extensions: [
      { name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
}

function generateServer(
  authority: GenerateResult,
  notAfterDate: Date,
  names: readonly string[],
): Promise<GenerateResult> {
  return generate([{ name: 'commonName', value: 'localhost' }], {
    ...keyAndHash,
    notAfterDate,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          ...['localhost', ...names].map((value) => ({ type: 2, value }) as const),
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  });
}

function isFresh(path: string, time: number): boolean {
  if (!existsSync(path)) return false;
  return new X509Certificate(readFileSync(path)).validToDate.getTime() - time > minRemaining;
}

/**
 * The certificate of `--https`, created on first use. The authority's private key is deleted at
 * once, so a client that trusts the authority trusts only this certificate.
 *
 * @param time milliseconds since the epoch.
 * @param names of hosts in addition to `localhost`, for tests that serve others on loopback.
 * @returns its PEM files, and the authority that its clients must trust.
 */
export async function loadCertificate(
  directory: string,
  time: number,
  names: readonly string[] = [],
) {
  const [caPath = '', certPath = '', keyPath = ''] = ['ca.pem', 'cert.pem', 'key.pem'].map((name) =>
    join(directory, name),
  );
  if (!isFresh(certPath, time)) {
    const notAfterDate = new Date(time + lifetime);
    const authority = await generateAuthority(notAfterDate);
    const server = await generateServer(authority, notAfterDate, names);
    writePrivateFile(caPath, authority.cert);
    writePrivateFile(keyPath, server.private);
    // Written last: if it exists, all three files exist.
    writePrivateFile(certPath, server.cert);
  }
  const read = (path: string): string => readFileSync(path, 'utf8');
  return { ca: read(caPath), caPath, cert: read(certPath), key: read(keyPath) };
}
