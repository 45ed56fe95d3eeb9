import { type KmsInput, readObjects, readText } from './input.ts';
import type { KmsTag } from './kms-key.ts';

/** The member `Tags` of CreateKey and TagResource. */
export function readTags(input: KmsInput): readonly KmsTag[] {
  return readObjects(input, 'Tags').map((item) => ({
    TagKey: readText(item, 'TagKey', { min: 1, max: 128 }),
    TagValue: readText(item, 'TagValue', { max: 256 }),
  }));
}

/** Adds tags; a tag of the same key is replaced. */
export function mergeTags(old: readonly KmsTag[], added: readonly KmsTag[]): readonly KmsTag[] {
  return [...new Map([...old, ...added].map((tag) => [tag.TagKey, tag])).values()];
}
