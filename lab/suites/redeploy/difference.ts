import type { TemplateResource } from '../../support/template-changes/template.ts';
import type { StackState } from './stack.ts';

/** What an update did to the resources of a stack, by type. */
export interface Difference {
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly removed: readonly string[];
  readonly replaced: readonly string[];
}

/** Compares the resources of a stack, and its templates, before and after an update. */
export function compareStacks(before: StackState, after: StackState): Difference {
  const types = ({ resources }: StackState, matches: (id: string) => boolean) =>
    [...resources.keys()].filter(matches).map((id) => resources.get(id)?.type ?? '');
  const isReplaced = (id: string) =>
    before.resources.has(id) &&
    before.resources.get(id)?.physicalId !== after.resources.get(id)?.physicalId;
  const isUpdated = (id: string) =>
    before.resources.has(id) &&
    !isReplaced(id) &&
    differs(before.template.Resources[id], after.template.Resources[id]);
  return {
    added: types(after, (id) => !before.resources.has(id)),
    updated: types(after, isUpdated),
    removed: types(before, (id) => !after.resources.has(id)),
    replaced: types(after, isReplaced),
  };
}

/** Whether an update from one definition to the other changes the resource. */
export function differs(
  before: TemplateResource | undefined,
  after: TemplateResource | undefined,
): boolean {
  return JSON.stringify(before?.Properties) !== JSON.stringify(after?.Properties);
}

/** One line: `added: …; updated: …`. */
export function describeDifference(difference: Difference): string {
  const parts = Object.entries<readonly string[]>({ ...difference })
    .filter(([, types]) => types.length > 0)
    .map(([verb, types]) => `${verb}: ${[...new Set(types)].toSorted().join(', ')}`);
  return parts.join('; ') || 'nothing changed';
}
