import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { LocalRun } from '../local/start-local.ts';

/** Makes `fetch` of this process trust a local run with TLS. */
export function trustService({ caPath }: LocalRun): void {
  const authority = readFileSync(caPath ?? '', 'utf8');
  setDefaultCACertificates([...getCACertificates('default'), authority]);
}
