import { readEnvironment } from '../../contract/environment.ts';
import { createDiscoveryHandler } from './create-discovery-handler.ts';

export const handler = createDiscoveryHandler(readEnvironment('discovery', process.env));
