import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

interface Edit {
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** A mistake that someone could make, written into the code while tests run. */
export interface Mutant {
  readonly name: string;
  /** The tests that must notice it. */
  readonly area: 'rotation' | 'revocation' | 'people' | 'management';
  readonly edits: readonly Edit[];
}

/**
 * In a list, mutants stand below the file that they change. Without `replace`, what is found is
 * taken out. `also` has further edits, of the same file unless they name another.
 */
interface Entry extends Omit<Mutant, 'area' | 'edits'>, Omit<Edit, 'file' | 'replace'> {
  readonly area?: Mutant['area'];
  readonly replace?: string;
  readonly also?: readonly (Omit<Edit, 'file'> & Partial<Edit>)[];
}

/** @param common area of the mutants that name none. */
function readMutants(list: string, common: Mutant['area']): readonly Mutant[] {
  const text = readFileSync(join(import.meta.dirname, `${list}.yaml`), 'utf8');
  const files = Object.entries(parse(text) as Readonly<Record<string, readonly Entry[]>>);
  return files.flatMap(([file, entries]) =>
    entries.map(({ name, area = common, find, replace = '', also = [] }) => ({
      name,
      area,
      edits: [{ file, find, replace }, ...also.map((edit) => ({ file, ...edit }))],
    })),
  );
}

export const mutants: readonly Mutant[] = [
  ...readMutants('life-cycle', 'rotation'),
  ...readMutants('partition-and-clock', 'rotation'),
  ...readMutants('publication', 'rotation'),
  ...readMutants('revocation', 'revocation'),
  ...readMutants('tokens-of-people', 'people'),
  ...readMutants('management', 'management'),
];

/**
 * @param name of an area; undefined: every one.
 * @throws {Error} for a name that is not of an area.
 */
export function findArea(name: string | undefined): Mutant['area'] | undefined {
  if (name === undefined) return undefined;
  const areas = [...new Set(mutants.map(({ area }) => area))];
  const found = areas.find((area) => area === name);
  if (found !== undefined) return found;
  throw new Error(`received the area ${name}; allowed: ${areas.join(', ')}`);
}
