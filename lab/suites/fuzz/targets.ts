import { endpointTargets } from './endpoint-targets.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { parserTargets } from './parser-targets.ts';

/** Everything that bytes from outside reach, by name. */
export const targets: Readonly<Record<string, FuzzTarget>> = {
  ...parserTargets,
  ...endpointTargets,
};
