import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
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
