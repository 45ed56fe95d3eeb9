import { type KMSClient, ListKeysCommand, ListResourceTagsCommand } from '@aws-sdk/client-kms';
import { kmsKeyTags } from '../../contract/kms-key.ts';
import type { ManagedKey } from '../../core/key-rotation/rotation-ports.ts';
import type { PortOptions } from '../../core/port.ts';
import { callAws } from '../aws-errors.ts';
import { isKmsError } from './kms-errors.ts';

/** KMS's maximum number of keys per page. */
const keysPerPage = 1000;
/** KMS's maximum number of tags per page, and of tags per key. */
const tagsPerPage = 50;

async function* listKeyArns(kms: KMSClient, options: PortOptions): AsyncGenerator<string> {
  let marker: string | undefined;
  do {
    const command = new ListKeysCommand({ Limit: keysPerPage, Marker: marker });
    const page = await callAws('KMS', 'list the keys of KMS', () =>
      kms.send(command, { abortSignal: options.signal }),
    );
    for (const { KeyArn } of page.Keys ?? []) if (KeyArn !== undefined) yield KeyArn;
    marker = page.Truncated === true ? page.NextMarker : undefined;
  } while (marker !== undefined);
}

/** Undefined if another key of the account does not allow reading its tags, or is gone. */
async function readTags(
  kms: KMSClient,
  kmsKeyArn: string,
  options: PortOptions,
): Promise<ReadonlyMap<string, string> | undefined> {
  const command = new ListResourceTagsCommand({ KeyId: kmsKeyArn, Limit: tagsPerPage });
  try {
    const { Tags = [] } = await callAws('KMS', `read the tags of ${kmsKeyArn}`, () =>
      kms.send(command, { abortSignal: options.signal }),
    );
    return new Map(Tags.map(({ TagKey = '', TagValue = '' }) => [TagKey, TagValue]));
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
export async function listTaggedKeys(
  kms: KMSClient,
  deploymentName: string,
  options: PortOptions,
): Promise<readonly ManagedKey[]> {
  const found: ManagedKey[] = [];
  for await (const kmsKeyArn of listKeyArns(kms, options)) {
    const tags = await readTags(kms, kmsKeyArn, options);
    const intentId = tags?.get(kmsKeyTags.intent);
    if (tags?.get(kmsKeyTags.deployment) === deploymentName && intentId !== undefined) {
      found.push({ kmsKeyArn, intentId });
    }
  }
  return found;
}
