import { kmsKeyTags } from './kms-key.ts';
import { saying } from './parse-problem.ts';

/** The tag with the deployment's name, unless the company has one of that name. */
export const ownTag = 'application';

/** AWS takes 50 tags for a resource. A signing key has the own tag and two more. */
const maxTags = 50 - 1 - Object.keys(kmsKeyTags).length;

/** With the statements that name each tag, what fits into the environment of the key rotation. */
const maxTagBytes = 1200;

/** Whether a tag with the name exists. IAM, unlike most services, ignores the case. */
export function hasTag(names: readonly string[], name: string): boolean {
  return names.some((one) => one.toLowerCase() === name.toLowerCase());
}

/** Pairs of names that IAM takes for one. */
export function findEqualTags(names: readonly string[]): readonly (readonly [string, string])[] {
  return names.flatMap((name, index) =>
    names
      .slice(0, index)
      .filter((other) => hasTag([other], name))
      .map((other) => [other, name] as const),
  );
}

/** The problem of two such names. */
export function describeEqualTags([one, other]: readonly [string, string]): string {
  return `tags: received "${one}" and "${other}"; allowed: names that differ by more than case, which IAM ignores`;
}

/** What a function gives to a resource that it creates. */
export function tagsOf(config: {
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
}): Readonly<Record<string, string>> {
  if (hasTag(Object.keys(config.tags), ownTag)) return config.tags;
  return { [ownTag]: config.name, ...config.tags };
}

/** What is wrong with the tags of a config, one line each. */
export function findTagProblems(tags: Readonly<Record<string, string>>): readonly string[] {
  const names = Object.keys(tags);
  const bytes = Buffer.byteLength(JSON.stringify(tags));
  const reserved = names.filter((name) => hasTag(Object.values(kmsKeyTags), name));
  return saying(
    ...findEqualTags(names).map(describeEqualTags),
    ...reserved.map(
      (name) =>
        `tags: received "${name}"; allowed: another name, because signing keys have this tag`,
    ),
    names.length > maxTags &&
      `tags: received ${names.length}; allowed: at most ${maxTags}, because a signing key has ${50 - maxTags} more and AWS takes 50`,
    bytes > maxTagBytes &&
      `tags: received ${bytes} bytes of JSON; allowed: ${maxTagBytes}, because a function gives them to signing keys`,
  );
}
