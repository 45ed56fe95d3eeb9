import type { AccessKey } from '../../lab/emulator/aws-server/access-key.ts';

/** Of servers that a test starts by itself, and of their callers. */
export const testAccessKey: AccessKey = { accessKeyId: 'test', secretAccessKey: 'test' };
