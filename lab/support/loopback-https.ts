import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { generate } from 'selfsigned';
import { closeServer, listenOnLoopback } from '../emulator/loopback-server.ts';

/** Key and certificate in PEM. */
export interface LoopbackCertificate {
  readonly key: string;
  readonly cert: string;
}

/** A certificate of `localhost` and 127.0.0.1 that is its own authority. */
export async function createLoopbackCertificate(): Promise<LoopbackCertificate> {
  // Of two trusted authorities with the same name, OpenSSL finds only the first.
  const name = [
    { name: 'commonName', value: 'localhost' },
    { name: 'organizationName', value: randomUUID() },
  ];
  const { private: key, cert } = await generate(name, {
    algorithm: 'sha256',
    keySize: 2048,
    extensions: [
      { name: 'basicConstraints', cA: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  return { key, cert };
}

/** Makes `fetch` of this process trust more authorities, in PEM. */
export function trustAuthorities(...authorities: readonly string[]): void {
  setDefaultCACertificates([...getCACertificates('default'), ...authorities]);
}

/** @returns a new certificate that this process trusts from then on. */
export async function createTrustedCertificate(): Promise<LoopbackCertificate> {
  const certificate = await createLoopbackCertificate();
  trustAuthorities(certificate.cert);
  return certificate;
}

export interface LoopbackHttps {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** @param keepAliveTimeout milliseconds; 0 keeps connections for as long as clients like. */
export async function serveHttps(
  certificate: LoopbackCertificate,
  listener: RequestListener,
  keepAliveTimeout = 5000,
): Promise<LoopbackHttps> {
  const server = createServer({ ...certificate, keepAliveTimeout }, listener);
  return { port: await listenOnLoopback(server), close: () => closeServer(server) };
}

/** Documents of an issuer on loopback. */
export interface LoopbackDocuments extends LoopbackHttps {
  readonly origin: string;
  /** By path; what is not there is 404. */
  readonly documents: Map<string, unknown>;
  /** Paths that were asked for, in order. */
  readonly seen: string[];
}

/** @param isDown while it returns true, no document is served. */
export async function serveDocuments(
  certificate: LoopbackCertificate,
  isDown: () => boolean = () => false,
): Promise<LoopbackDocuments> {
  const documents = new Map<string, unknown>();
  const seen: string[] = [];
  const server = await serveHttps(certificate, ({ url = '' }, response) => {
    seen.push(url);
    const document = isDown() ? undefined : documents.get(url);
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? {}));
  });
  return { ...server, origin: `https://localhost:${server.port}`, documents, seen };
}
