import {
  CreateKeyCommand,
  type CreateKeyCommandOutput,
  DescribeKeyCommand,
  DisableKeyCommand,
  GetKeyPolicyCommand,
  GetPublicKeyCommand,
  type KeyMetadata,
  type KeySpec,
  type KMSClient,
  ListGrantsCommand,
  ListKeysCommand,
  ListResourceTagsCommand,
  ScheduleKeyDeletionCommand,
  type Tag,
} from '@aws-sdk/client-kms';
import { kmsDeletionWindowDays, kmsKeyTags } from '../../contract/kms-key.ts';
import { signingAlgorithms } from '../../contract/signing-algorithms.ts';
import { SigningKeyUnusableError } from '../../core/errors.ts';
import type {
  KeyInspection,
  KeyManagement,
  ManagedKey,
  ManagedKeyDescription,
  ManagedKeyState,
} from '../../core/key-rotation/rotation-ports.ts';
import { callAws, callWithKey, KmsResponseError } from '../aws-errors.ts';

interface KmsKeysSettings {
  /** Value of the constant tag that roles select the keys of this deployment by. */
  readonly deploymentName: string;
  /** The key policy that CreateKey sends, a JSON object. */
  readonly keyPolicy: unknown;
  /** Tags of the company, next to the two that find a key. */
  readonly keyTags?: Readonly<Record<string, string>>;
}

/** KMS `KeyState`. In every other state, the key cannot be used. */
const states: ReadonlyMap<string | undefined, ManagedKeyState> = new Map([
  ['Enabled', 'enabled'],
  ['Disabled', 'disabled'],
  ['PendingDeletion', 'pending_deletion'],
]);

function stateOf(state: string | undefined): ManagedKeyState {
  return states.get(state) ?? 'unusable';
}

function isKmsError(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof Error && names.includes(error.name);
}

function toSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}

function toDescription(metadata: KeyMetadata | undefined): ManagedKeyDescription {
  const { Arn, KeySpec, CreationDate, KeyState, DeletionDate } = metadata ?? {};
  if (Arn === undefined || KeySpec === undefined || CreationDate === undefined) {
    throw new KmsResponseError('KMS described a key without its ARN, spec or date');
  }
  return {
    kmsKeyArn: Arn,
    state: stateOf(KeyState),
    kmsKeySpec: KeySpec,
    createdAt: toSeconds(CreationDate),
    deletionAt: DeletionDate && toSeconds(DeletionDate),
  };
}

/**
 * Whether a key is in another AWS region: its platform region was moved from there. KMS does not
 * have the key here and the role has no permission for it, so a call would get AccessDenied.
 */
async function isElsewhere(kms: KMSClient, kmsKeyArn: string): Promise<boolean> {
  return kmsKeyArn.split(':')[3] !== (await kms.config.region());
}

async function describeKey(
  kms: KMSClient,
  kmsKeyArn: string,
): Promise<ManagedKeyDescription | undefined> {
  if (await isElsewhere(kms, kmsKeyArn)) return undefined;
  const command = new DescribeKeyCommand({ KeyId: kmsKeyArn });
  try {
    const { KeyMetadata } = await callAws('KMS', `describe ${kmsKeyArn}`, () => kms.send(command));
    return toDescription(KeyMetadata);
  } catch (error) {
    if (isKmsError(error, 'NotFoundException')) return undefined;
    throw error;
  }
}

async function createKey(
  kms: KMSClient,
  settings: KmsKeysSettings,
  request: Parameters<KeyManagement['createKey']>[0],
): Promise<string> {
  const command = new CreateKeyCommand({
    KeySpec: signingAlgorithms[request.alg].kmsKeySpec as KeySpec,
    KeyUsage: 'SIGN_VERIFY',
    Description: request.description,
    Policy: JSON.stringify(settings.keyPolicy),
    // The rotation's role has no PutKeyPolicy. Without this option, KMS refuses a policy that locks
    // its caller out. The policy gives the account's root user every action.
    BypassPolicyLockoutSafetyCheck: true,
    MultiRegion: false,
    Tags: [
      { TagKey: kmsKeyTags.deployment, TagValue: settings.deploymentName },
      { TagKey: kmsKeyTags.intent, TagValue: request.intentId },
      ...Object.entries(settings.keyTags ?? {}).map(([TagKey, TagValue]) => ({ TagKey, TagValue })),
    ],
  });
  const output = await callAws('KMS', 'create a key', () => sendOnce(kms, command));
  return toDescription(output.KeyMetadata).kmsKeyArn;
}

async function getPublicKey(kms: KMSClient, kmsKeyArn: string): Promise<Uint8Array> {
  const command = new GetPublicKeyCommand({ KeyId: kmsKeyArn });
  const { KeyId, PublicKey } = await callWithKey(`read the public key of ${kmsKeyArn}`, () =>
    kms.send(command),
  );
  if (KeyId === kmsKeyArn && PublicKey !== undefined) return PublicKey;
  throw new KmsResponseError(`KMS gave the public key of ${KeyId}, asked for ${kmsKeyArn}`);
}

async function scheduleKeyDeletion(kms: KMSClient, kmsKeyArn: string): Promise<void> {
  // An operator deletes it in its own region: docs/procedures/replace-a-region.md.
  if (await isElsewhere(kms, kmsKeyArn)) return;
  const command = new ScheduleKeyDeletionCommand({
    KeyId: kmsKeyArn,
    PendingWindowInDays: kmsDeletionWindowDays,
  });
  try {
    await callAws('KMS', `schedule the deletion of ${kmsKeyArn}`, () => kms.send(command));
  } catch (error) {
    if (!isKmsError(error, 'KMSInvalidStateException', 'NotFoundException')) throw error;
    const found = await describeKey(kms, kmsKeyArn);
    if (found !== undefined && found.state !== 'pending_deletion') throw error;
  }
}

/** Creates and deletes the signing keys of one deployment in one region's KMS. */
export function createKmsKeys(kms: KMSClient, settings: KmsKeysSettings): KeyManagement {
  return {
    createKey: (request) => createKey(kms, settings, request),
    getPublicKey: (arn) => getPublicKey(kms, arn),
    describeKey: (arn) => describeKey(kms, arn),
    disableKey: async (arn) => {
      await callWithKey(`disable ${arn}`, () => kms.send(new DisableKeyCommand({ KeyId: arn })));
    },
    scheduleKeyDeletion: (arn) => scheduleKeyDeletion(kms, arn),
    listKeys: () => listTaggedKeys(kms, settings.deploymentName),
  };
}

/**
 * Carries an error past the SDK's retry, which would retry the error in `failure`. It is not in
 * `cause`, because the SDK also reads causes.
 */
class FirstAttemptError extends Error {
  override readonly name = 'FirstAttemptError';
  readonly failure: unknown;

  constructor(failure: unknown) {
    super('the only attempt failed');
    this.failure = failure;
  }
}

/** Sends a command that must not be repeated when its answer is lost. Errors are the SDK's. */
async function sendOnce(
  kms: KMSClient,
  command: CreateKeyCommand,
): Promise<CreateKeyCommandOutput> {
  command.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (failure) {
        throw new FirstAttemptError(failure);
      }
    },
    // This runs inside the SDK's retry, which has high priority in the same step.
    { step: 'finalizeRequest', priority: 'low', name: 'sendOnce' },
  );
  try {
    return await kms.send(command);
  } catch (error) {
    throw error instanceof FirstAttemptError ? error.failure : error;
  }
}

/** KMS's maximum number of keys per page. */
const keysPerPage = 1000;
/** KMS's maximum number of tags per page, and of tags per key. */
const tagsPerPage = 50;

async function* listKeyArns(kms: KMSClient): AsyncGenerator<string> {
  let marker: string | undefined;
  do {
    const command = new ListKeysCommand({ Limit: keysPerPage, Marker: marker });
    const page = await callAws('KMS', 'list the keys of KMS', () => kms.send(command));
    for (const { KeyArn } of page.Keys ?? []) if (KeyArn !== undefined) yield KeyArn;
    marker = page.Truncated === true ? page.NextMarker : undefined;
  } while (marker !== undefined);
}

function toMap(tags: readonly Tag[]): ReadonlyMap<string, string> {
  return new Map(tags.map(({ TagKey = '', TagValue = '' }) => [TagKey, TagValue]));
}

/** Undefined if another key of the account does not allow reading its tags, or is gone. */
async function readTags(
  kms: KMSClient,
  kmsKeyArn: string,
): Promise<ReadonlyMap<string, string> | undefined> {
  const command = new ListResourceTagsCommand({ KeyId: kmsKeyArn, Limit: tagsPerPage });
  try {
    const { Tags = [] } = await callAws('KMS', `read the tags of ${kmsKeyArn}`, () =>
      kms.send(command),
    );
    return toMap(Tags);
  } catch (error) {
    if (isKmsError(error, 'AccessDeniedException', 'NotFoundException')) return undefined;
    throw error;
  }
}

/**
 * The keys with the tags of a deployment. There is one call for each key of the account and region,
 * because KMS cannot list keys by tag. The calls are sequential, because the quota is a few per
 * second. The caller's role needs ListResourceTags on every key, regardless of its tags: the tags
 * of a new key take minutes to have an effect, and a key that is missed here is created a second
 * time.
 */
async function listTaggedKeys(
  kms: KMSClient,
  deploymentName: string,
): Promise<readonly ManagedKey[]> {
  const found: ManagedKey[] = [];
  for await (const kmsKeyArn of listKeyArns(kms)) {
    const tags = await readTags(kms, kmsKeyArn);
    const intentId = tags?.get(kmsKeyTags.intent);
    if (tags?.get(kmsKeyTags.deployment) === deploymentName && intentId !== undefined) {
      found.push({ kmsKeyArn, intentId });
    }
  }
  return found;
}

/**
 * All that decides who can sign with a key. KMS is asked again each time.
 *
 * @throws {SigningKeyUnusableError} if KMS does not know the key, or the role may not look at it.
 */
export async function inspectKey(kms: KMSClient, kmsKeyArn: string): Promise<KeyInspection> {
  const input = { KeyId: kmsKeyArn };
  const ask = <T>(what: string, call: () => Promise<T>) =>
    callWithKey(`read ${what} of ${kmsKeyArn}`, call);
  const metadata = await ask('the description', () => kms.send(new DescribeKeyCommand(input)));
  const inspection = toInspection(metadata.KeyMetadata, kmsKeyArn);
  // KMS shows the public half of an enabled key only, and there is nothing more to find out.
  if (inspection.state !== 'enabled') return inspection;
  const [policy, grants, spki, tags] = await Promise.all([
    ask('the policy', () => kms.send(new GetKeyPolicyCommand(input))),
    ask('the grants', () => kms.send(new ListGrantsCommand(input))),
    getPublicKey(kms, kmsKeyArn),
    ask('the tags', () => kms.send(new ListResourceTagsCommand(input))),
  ]);
  return {
    ...inspection,
    policy: policy.Policy ?? '',
    grants: grants.Truncated === true ? Number.POSITIVE_INFINITY : (grants.Grants?.length ?? 0),
    spki,
    tags: readDeploymentTags(tags.Tags, kmsKeyArn),
  };
}

/** Tags of a new key may take seconds to show, and without one no role could sign with the key. */
function readDeploymentTags(
  tags: readonly Tag[] = [],
  kmsKeyArn: string,
): ReadonlyMap<string, string> {
  const found = toMap(tags);
  if (found.has(kmsKeyTags.deployment)) return found;
  throw new SigningKeyUnusableError(`${kmsKeyArn} does not show the tag of a deployment`);
}

function toInspection(metadata: KeyMetadata | undefined, kmsKeyArn: string): KeyInspection {
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
