import { discoveryVariables } from '../../contract/environments/discovery.ts';
import { readVariables } from '../../contract/environments/read-variables.ts';
import { createDiscoveryHandler } from './function.ts';

export const handler = createDiscoveryHandler(
  readVariables('discovery', discoveryVariables, process.env),
);
