import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalOptions, type LocalRun, startLocal } from '../local/start-local.ts';
import { trustAuthorities } from './loopback-https.ts';

/** Runs the service on free ports, with a state of its own, while `use` runs. */
export async function withLocalService<Result>(
  options: Partial<LocalOptions>,
  use: (service: LocalRun) => Promise<Result>,
): Promise<Result> {
  const stateDirectory = mkdtempSync(join(tmpdir(), 'authorization-server-'));
  const service = await startLocal({ port: 0, stateDirectory, ...options });
  try {
    return await use(service);
  } finally {
    await service.close();
    rmSync(stateDirectory, { recursive: true, force: true });
  }
}

/** Makes `fetch` of this process trust a local run with TLS. */
export function trustService({ caPath }: LocalRun): void {
  trustAuthorities(readFileSync(caPath ?? '', 'utf8'));
}
