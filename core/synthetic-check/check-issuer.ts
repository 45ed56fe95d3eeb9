import * as v from 'valibot';
import { openidConfigurationPath } from '../../contract/routes.ts';
import { servedJwksSchema } from '../jwks/served-jwks.ts';
import type { SyntheticCheckSettings } from './run-synthetic-check.ts';
import { inStep, SyntheticCheckError } from './synthetic-check-error.ts';
import { verifyToken } from './verify-token.ts';

export interface IssuerCheckPorts {
  /** @throws if no JSON arrives in time. */
  readonly fetchDocument: (url: string) => Promise<unknown>;
}

const metadataSchema = v.looseObject({ issuer: v.string(), jwks_uri: v.string() });

async function findKeys(issuer: string, { fetchDocument }: IssuerCheckPorts): Promise<unknown> {
  const metadata = await fetchDocument(`${issuer}${openidConfigurationPath}`);
  if (!v.is(metadataSchema, metadata) || metadata.issuer !== issuer) {
    throw new SyntheticCheckError('issuer', 'the discovery document is not of the issuer');
  }
  const jwks = await fetchDocument(metadata.jwks_uri);
  if (v.is(servedJwksSchema, jwks)) return jwks;
  throw new SyntheticCheckError('issuer', 'the JWKS of the issuer is not a key set');
}

/**
 * Acts as a verifier that knows only the issuer: finds its keys by discovery (RFC 8414 §3), and
 * verifies a token of this region with them. The name of the issuer can lead to another region.
 *
 * @param token left out if the region issued none.
 * @param now seconds since the epoch.
 * @throws {SyntheticCheckError} with the step `issuer`.
 */
export async function checkIssuer(
  token: string | undefined,
  ports: IssuerCheckPorts,
  settings: SyntheticCheckSettings,
  now: number,
): Promise<void> {
  await inStep('issuer', async () => {
    const jwks = await findKeys(settings.issuer, ports);
    if (token === undefined) return;
    await verifyToken(token, jwks, { ...settings, now }).catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : 'unknown error';
      throw new SyntheticCheckError('issuer', `with the keys of the issuer, ${why}`, { cause });
    });
  });
}
