import { readFileSync } from 'node:fs';
import type { LocalRun } from '../local/start-local.ts';
import { trustAuthorities } from './loopback-https.ts';

/** Makes `fetch` of this process trust a local run with TLS. */
export function trustService({ caPath }: LocalRun): void {
  trustAuthorities(readFileSync(caPath ?? '', 'utf8'));
}
