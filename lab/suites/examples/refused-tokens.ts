import { readFileSync } from 'node:fs';
import { createAwsClients } from '../../../adapters/aws-clients.ts';
import { createDynamoDbSigningKeyStore } from '../../../adapters/dynamodb/signing-key-store.ts';
import { createKmsSign } from '../../../adapters/kms/sign-with-key.ts';
import { parseDeploymentConfig } from '../../../contract/deployment-config.ts';
import { tableName } from '../../../contract/tables.ts';
import type { Sign } from '../../../core/signing-key/sign-jws.ts';
import type { SigningKey } from '../../../core/signing-key/signing-key.ts';
import type { LocalRun } from '../../local/start-local.ts';

type Json = Readonly<Record<string, unknown>>;

function encode(value: Json): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(part: string | undefined): Json {
  return JSON.parse(Buffer.from(part ?? '', 'base64url').toString()) as Json;
}

/** The key that signs, and KMS: both as the service uses them. */
async function openSigning(service: LocalRun): Promise<{ key: SigningKey; sign: Sign }> {
  const aws = createAwsClients(service.aws);
  const config = readFileSync(service.paths.deploymentConfig, 'utf8');
  const { name } = parseDeploymentConfig(JSON.parse(config), { allowLoopbackIssuer: true });
  const table = tableName(name, 'signingKeys');
  const keys = await createDynamoDbSigningKeyStore(aws.dynamodb, table).listSigningKeys();
  const key = keys.find(({ state }) => state === 'current');
  if (key === undefined) throw new Error('the service has no current signing key');
  return { key, sign: createKmsSign(aws.kms) };
}

/**
 * Tokens that every verifier must refuse, each signed with the service's own key if a
 * signature can be had: only the checks of the example stand between them and the API.
 *
 * @param token a good token, of which these are variations.
 */
export async function makeRefusedTokens(
  service: LocalRun,
  token: string,
): Promise<ReadonlyMap<string, string>> {
  const { key, sign } = await openSigning(service);
  const [headerPart, payloadPart, signature = ''] = token.split('.');
  const header = decode(headerPart);
  const payload = decode(payloadPart);
  const signed = async (otherHeader: Json, otherPayload: Json): Promise<string> => {
    const input = `${encode({ ...header, ...otherHeader })}.${encode({ ...payload, ...otherPayload })}`;
    const bytes = await sign(key, Buffer.from(input));
    return `${input}.${Buffer.from(bytes).toString('base64url')}`;
  };
  const hourAgo = Math.floor(Date.now() / 1000) - 3600;
  return new Map([
    ['another audience', await signed({}, { aud: 'https://other.example.com' })],
    ['another issuer', await signed({}, { iss: 'https://other.example.com' })],
    ['expired', await signed({}, { iat: hourAgo - 60, exp: hourAgo })],
    ['without expiry', await signed({}, { exp: undefined })],
    ['not an access token (typ)', await signed({ typ: 'JWT' }, {})],
    ['changed', `${headerPart}.${encode({ ...payload, scope: 'admin' })}.${signature}`],
    ['unsigned (alg none)', `${encode({ typ: 'at+jwt', alg: 'none' })}.${payloadPart}.`],
    ['no JWT', 'not-a-token'],
  ]);
}
