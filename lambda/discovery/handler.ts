import { readSettings } from '../../contract/read-settings.ts';
import { createDiscoveryHandler } from './function.ts';

export const handler = createDiscoveryHandler(readSettings('discovery', process.env));
