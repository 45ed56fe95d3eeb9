import {
  goRuntime,
  javaRuntime,
  nodeRuntime,
  pythonRuntime,
  rustRuntime,
} from '../../support/runtimes.ts';
import { programs } from './pins.ts';

/** The programs of each language. */
export const node = nodeRuntime(`${programs}/node`, 'interop');
export const python = pythonRuntime(`${programs}/python`);
export const go = goRuntime(`${programs}/go`, 'interop');
export const java = javaRuntime(`${programs}/java`, 'interop');
export const rust = rustRuntime(`${programs}/rust`, 'interop');
