import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll } from 'vitest';
import { type LocalOptions, type LocalRun, startLocal } from '../../../../lab/local/start-local.ts';
import {
  basic,
  fetchToken as fetchTokenAt,
  requestToken as sendTokenRequest,
} from '../../../../lab/support/token-request.ts';
import { makeTemporaryDirectory } from '../../../support/temporary-directory.ts';

/**
 * Starts the service as the suite wants it: from the sources, or with LOCAL_RUN=from-synth from
 * the templates and bundles that a deployment would upload.
 */
export async function startService(options: LocalOptions): Promise<LocalRun> {
  if (process.env['LOCAL_RUN'] !== 'from-synth') return startLocal(options);
  // Here and not above, since the CDK takes seconds to load.
  const { synthesiseService } = await import('./synthesise-service.ts');
  const { fromTemplates } = await import('../../../../lab/local/from-synth/program.ts');
  const program = fromTemplates(synthesiseService(options.stateDirectory, options));
  return startLocal({ ...options, program });
}

/** Starts the service for the tests of a file; it is stopped and its state removed after them. */
export function useLocalService(options: Partial<LocalOptions> = {}): () => LocalRun {
  const state = makeTemporaryDirectory();
  let service: LocalRun | undefined;
  beforeAll(async () => {
    service = await startService({ port: 0, stateDirectory: state.path, ...options });
    if (service.caPath !== undefined) {
      const authority = readFileSync(service.caPath, 'utf8');
      setDefaultCACertificates([...getCACertificates('default'), authority]);
    }
  });
  afterAll(async () => {
    await service?.close();
    state.remove();
  });
  return () => {
    if (service === undefined) throw new Error('the service has not started');
    return service;
  };
}

/** The client's own credentials. */
export function credentialsOf({
  clientId,
  clientSecret,
}: Pick<LocalRun, 'clientId' | 'clientSecret'>): string {
  return basic(clientId, clientSecret);
}

export function requestToken(
  service: LocalRun,
  parameters: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return sendTokenRequest(service.tokenUrl, service, parameters);
}

/** @throws {Error} if the answer is no token. */
export function fetchToken(
  service: LocalRun,
  parameters: Readonly<Record<string, string>> = {},
): Promise<string> {
  return fetchTokenAt(service.tokenUrl, service, parameters);
}
