import {
  DescribeKeyCommand,
  GetKeyPolicyCommand,
  GetPublicKeyCommand,
  type KeyMetadata,
  type KMSClient,
  ListGrantsCommand,
  ListResourceTagsCommand,
  type Tag,
} from '@aws-sdk/client-kms';
import { kmsKeyTags } from '../../contract/kms-key.ts';
import { SigningKeyUnusableError } from '../../core/errors.ts';
import type { KeyInspection } from '../../core/key-rotation/rotation-ports.ts';
import type { PortOptions } from '../../core/port.ts';
import { callWithKey, KmsResponseError } from './kms-errors.ts';
import { stateOf } from './kms-keys.ts';

/** Asks KMS one thing about a key. */
type Ask = <T>(what: string, send: () => Promise<T>) => Promise<T>;

/**
 * All that decides who can sign with a key. KMS is asked again each time.
 *
 * @throws {SigningKeyUnusableError} if KMS does not know the key, or the role may not look at it.
 * @throws {UnavailableError} if KMS does not answer in time.
 */
export async function inspectKey(
  kms: KMSClient,
  kmsKeyArn: string,
  options: PortOptions = {},
): Promise<KeyInspection> {
  const input = { KeyId: kmsKeyArn };
  const send = { abortSignal: options.signal };
  const ask: Ask = (what, call) => callWithKey(`read ${what} of ${kmsKeyArn}`, call);
  const metadata = await ask('the description', () =>
    kms.send(new DescribeKeyCommand(input), send),
  );
  const description = describe(metadata.KeyMetadata, kmsKeyArn);
  // KMS shows the public half of an enabled key only, and there is nothing more to find out.
  if (description.state !== 'enabled') return description;
  const [policy, grants, publicKey, tags] = await Promise.all([
    ask('the policy', () => kms.send(new GetKeyPolicyCommand(input), send)),
    ask('the grants', () => kms.send(new ListGrantsCommand(input), send)),
    ask('the public key', () => kms.send(new GetPublicKeyCommand(input), send)),
    ask('the tags', () => kms.send(new ListResourceTagsCommand(input), send)),
  ]);
  if (publicKey.KeyId !== kmsKeyArn || publicKey.PublicKey === undefined) {
    throw new KmsResponseError(
      `KMS gave the public key of ${publicKey.KeyId}, asked for ${kmsKeyArn}`,
    );
  }
  return {
    ...description,
    policy: policy.Policy ?? '',
    grants: grants.Truncated === true ? Number.POSITIVE_INFINITY : (grants.Grants?.length ?? 0),
    spki: publicKey.PublicKey,
    tags: readTags(tags.Tags, kmsKeyArn),
  };
}

/** Tags of a new key may take seconds to show, and without one no role could sign with the key. */
function readTags(tags: readonly Tag[] = [], kmsKeyArn: string): ReadonlyMap<string, string> {
  const found = new Map(tags.map(({ TagKey = '', TagValue = '' }) => [TagKey, TagValue]));
  if (found.has(kmsKeyTags.deployment)) return found;
  throw new SigningKeyUnusableError(`${kmsKeyArn} does not show the tag of a deployment`);
}

function describe(metadata: KeyMetadata | undefined, kmsKeyArn: string): KeyInspection {
  const { Arn, KeyState, KeySpec, KeyUsage, Origin, KeyManager, MultiRegion } = metadata ?? {};
  if (Arn !== kmsKeyArn) throw new KmsResponseError(`KMS described ${Arn}, asked for ${kmsKeyArn}`);
  return {
    state: stateOf(KeyState),
    kmsKeySpec: KeySpec ?? '',
    keyUsage: KeyUsage ?? '',
    origin: Origin ?? '',
    keyManager: KeyManager ?? '',
    isMultiRegion: MultiRegion !== false,
    policy: '',
    grants: Number.NaN,
    spki: new Uint8Array(),
    tags: new Map(),
  };
}
