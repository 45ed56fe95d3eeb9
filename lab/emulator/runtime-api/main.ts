import { runRuntime } from './runtime-client.ts';

void runRuntime();
