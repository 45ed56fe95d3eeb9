import { readEnvironment } from '../../contract/environment.ts';
import { createDiscoveryHandler } from './function.ts';

export const handler = createDiscoveryHandler(readEnvironment('discovery', process.env));
