import { decodeProtectedHeader } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openidConfigurationPath } from '../../../../contract/routes.ts';
import type { Alg } from '../../../../contract/signing-algorithms.ts';
import { LocalRunError } from '../../../../lab/emulator/loopback-server.ts';
import { type LocalRun, startLocal } from '../../../../lab/local/start-local.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { requestToken } from './use-local-service.ts';

async function start(stateDirectory: string, signingAlgorithms?: readonly Alg[]) {
  const run = await startLocal({
    stateDirectory,
    port: 0,
    ...(signingAlgorithms !== undefined && { signingAlgorithms }),
  });
  onTestFinished(() => run.close());
  return run;
}

/** The algorithms that verifiers are told to accept. */
async function listAlgorithms({ issuer }: LocalRun): Promise<readonly Alg[]> {
  const metadata = (await (await fetch(issuer + openidConfigurationPath)).json()) as {
    readonly id_token_signing_alg_values_supported: readonly Alg[];
  };
  return metadata.id_token_signing_alg_values_supported;
}

async function algorithmOfToken(run: LocalRun): Promise<string | undefined> {
  const response = await requestToken(run);
  const { access_token } = (await response.json()) as { readonly access_token: string };
  return decodeProtectedHeader(access_token).alg;
}

describe('a local run over kept keys', () => {
  it('refuses a list without the algorithm of a key that signs', async () => {
    const state = temporaryDirectory();
    await (await start(state)).close();
    const refused = start(state, ['PS256']);
    await expect(refused).rejects.toThrow(LocalRunError);
    await expect(refused).rejects.toThrow(
      /^signingAlgorithms: received PS256; allowed at \S+: PS256, RS256, because of these keys:\n {2}slc: \S{43} \(RS256\) signs; RS256 can be removed from \S+ on at the earliest, after another key has replaced it\nallowed: --algorithm PS256,RS256, or --reset$/,
    );
  });

  it('lists the algorithm of the key that signs while it moves to another', async () => {
    const state = temporaryDirectory();
    const before = await start(state);
    expect(await listAlgorithms(before)).toEqual(['RS256']);
    await before.close();
    const moving = await start(state, ['PS256', 'RS256']);
    expect(await listAlgorithms(moving)).toEqual(['PS256', 'RS256']);
    expect(await algorithmOfToken(moving)).toBe('RS256');
  });
});
