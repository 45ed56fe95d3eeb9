import { AwsError } from '../aws-server/aws-error.ts';
import { type KmsInput, readObjects, readText } from './input.ts';
import type { KmsTag } from './kms-key.ts';

/** KMS quota: tags of one key. */
const maxTags = 50;

/** The member `Tags` of CreateKey and TagResource. */
export function readTags(input: KmsInput): readonly KmsTag[] {
  const tags = readObjects(input, 'Tags').map((item) => ({
    TagKey: readText(item, 'TagKey', { min: 1, max: 128 }),
    TagValue: readText(item, 'TagValue', { max: 256 }),
  }));
  if (tags.some((tag) => tag.TagKey.startsWith('aws:'))) {
    throw new AwsError('TagException', 'Tag keys may not start with the reserved prefix aws:');
  }
  if (new Set(tags.map((tag) => tag.TagKey)).size < tags.length) {
    throw new AwsError('TagException', 'Duplicate tag keys');
  }
  return checkTagCount(tags);
}

/** Adds tags; a tag of the same key is replaced. */
export function mergeTags(old: readonly KmsTag[], added: readonly KmsTag[]): readonly KmsTag[] {
  const byKey = new Map([...old, ...added].map((tag) => [tag.TagKey, tag]));
  return checkTagCount([...byKey.values()]);
}

function checkTagCount(tags: readonly KmsTag[]): readonly KmsTag[] {
  if (tags.length > maxTags) throw new AwsError('TagException', 'Too many tags');
  return tags;
}
