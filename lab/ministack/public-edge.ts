import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { forwardHead } from '../emulator/http-exchange.ts';
import { closeServer, listenOnLoopback } from '../emulator/loopback-server.ts';
import { loadCertificate } from '../local/certificate.ts';

/** The emulator's APIs under the names and with the TLS that they would have in AWS. */
interface PublicEdge {
  /** By these a Node.js process finds and trusts the edge. */
  readonly variables: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const apiHost = /^([^.]+)\.execute-api\.([^.]+)\.amazonaws\.com$/;

/** The emulator knows an API by a host of its own; a custom domain is a custom domain. */
function emulatorHost(host: string, emulatorPort: number): string {
  const apiId = apiHost.exec(host)?.[1];
  return apiId === undefined ? host : `${apiId}.execute-api.localhost:${emulatorPort}`;
}

/**
 * Serves the APIs of the emulator over TLS, under the addresses that the stacks give them.
 *
 * @param names of custom domains, e.g. `*.auth.example.com`; `*` is one label.
 */
export async function startPublicEdge(
  directory: string,
  emulatorPort: number,
  names: readonly string[],
): Promise<PublicEdge> {
  const certificate = await loadCertificate(join(directory, 'tls'), Date.now(), names);
  const server = createServer(certificate, (from, to) => {
    const host = emulatorHost(from.headers.host ?? '', emulatorPort);
    const { method, url, headers } = from;
    from.pipe(forwardHead(emulatorPort, { method, url, headers: { ...headers, host } }, to));
  });
  const port = await listenOnLoopback(server);
  const pattern = names.map((name) => name.replaceAll('.', '\\.').replace('*', '[^.]+'));
  return {
    variables: {
      PUBLIC_EDGE_PORT: String(port),
      PUBLIC_EDGE_NAMES: `^(${pattern.join('|')})$`,
      NODE_OPTIONS: `--import=${join(import.meta.dirname, 'public-names.ts')}`,
      NODE_EXTRA_CA_CERTS: certificate.caPath,
    },
    close: () => closeServer(server),
  };
}

/** Lets this process find and trust an edge, as the functions do. */
export async function usePublicEdge({ variables }: PublicEdge): Promise<void> {
  Object.assign(process.env, variables);
  const authority = readFileSync(variables['NODE_EXTRA_CA_CERTS'] ?? '', 'utf8');
  // Not in addition to the last edge's authority, which has the same name.
  setDefaultCACertificates([...getCACertificates('bundled'), authority]);
  await import('./public-names.ts');
}
