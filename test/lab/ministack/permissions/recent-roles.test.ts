import { ResourceNotFoundException } from '@aws-sdk/client-lambda';
import { expect, it, vi } from 'vitest';
import type { Role } from '../../../../lab/emulator/iam/principals.ts';
import { RecentRoles } from '../../../../lab/ministack/permissions/permission-gate.ts';

const role = { name: 'token' } as unknown as Role;
const gone = new ResourceNotFoundException({ $metadata: {}, message: 'gone', Type: 'User' });

it('a version that was removed keeps its role, and one that never was has none', async () => {
  const read = vi.fn(async (): Promise<Role> => role);
  const roles = new RecentRoles(read, () => 0);
  expect(await roles.read('token:7')).toBe(role);
  read.mockRejectedValue(gone);
  expect(await roles.read('token:7')).toBe(role);
  await expect(roles.read('token:8')).rejects.toBe(gone);
});

it('another failure to read a role is one', async () => {
  const read = vi.fn(async (): Promise<Role> => role);
  const roles = new RecentRoles(read, () => 0);
  await roles.read('token:7');
  read.mockRejectedValue(new Error('no answer'));
  await expect(roles.read('token:7')).rejects.toThrow('no answer');
});
