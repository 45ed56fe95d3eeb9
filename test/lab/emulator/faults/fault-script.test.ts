import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseFaultScript, readFaultScript } from '../../../../lab/emulator/faults/fault-script.ts';
import { LocalRunError } from '../../../../lab/emulator/loopback-server.ts';

const directory = mkdtempSync(join(tmpdir(), 'faults-'));
afterAll(() => rmSync(directory, { recursive: true }));

function write(content: string): string {
  const path = join(directory, 'script.json');
  writeFileSync(path, content);
  return path;
}

describe('a fault script', () => {
  it('fills in what is left out', () => {
    const script = { rules: [{ service: 'kms', fault: 'latency', milliseconds: 10 }] };
    expect(parseFaultScript(script)).toEqual({
      seed: 1,
      rules: [{ service: 'kms', fault: 'latency', milliseconds: 10, jitter: 0, from: 0, share: 1 }],
    });
  });

  it.each([
    ['no object', 'x', 'the document: received "x"; expected Object'],
    ['no rules', {}, 'rules: missing'],
    ['an unknown key', { rules: [], rulez: [] }, 'rulez: unknown key'],
    [
      'an unknown fault',
      { rules: [{ service: 'kms', fault: 'explode' }] },
      'rules.0.fault: received "explode"; expected ("latency" | "error" | "throttle" | "reset" | "partial_body" | "slow_body" | "stale_read" | "paused_replication" | "isolated_region" | "clock_skew" | "clock_freeze")',
    ],
    [
      'an unknown service',
      { rules: [{ service: 's3', fault: 'reset' }] },
      'rules.0.service: received "s3"; expected ("dynamodb" | "kms")',
    ],
    [
      'a key of another fault',
      { rules: [{ service: 'kms', fault: 'reset', milliseconds: 1 }] },
      'rules.0.milliseconds: unknown key',
    ],
    [
      'a share above 1',
      { rules: [{ service: 'kms', fault: 'reset', share: 2 }] },
      'rules.0.share: received 2; allowed: a share from 0 to 1',
    ],
    [
      'a misspelt operation',
      { rules: [{ service: 'dynamodb', operation: 'GetItems', fault: 'reset' }] },
      'rules.0.operation: received "GetItems"; allowed for dynamodb: CreateTable, DeleteItem, DescribeTable, GetItem, PutItem, Query, Scan, UpdateItem',
    ],
    [
      'an operation of another service',
      { rules: [{ service: 'kms', operation: 'GetItem', fault: 'reset' }] },
      'rules.0.operation: received "GetItem"; allowed for kms: CreateKey, ',
    ],
    [
      'a misspelt table',
      { rules: [{ service: 'dynamodb', table: 'apiKeys', fault: 'reset' }] },
      'rules.0.table: received "apiKeys"; allowed: clients, api-keys, identity-providers, signing-keys, settings, audit',
    ],
    [
      'a table of KMS',
      { rules: [{ service: 'kms', table: 'clients', fault: 'reset' }] },
      'rules.0.table: received "clients"; allowed only for dynamodb',
    ],
    [
      'a stale read of KMS',
      { rules: [{ service: 'kms', fault: 'stale_read', seconds: 1 }] },
      'rules.0.fault: received "stale_read"; allowed only for dynamodb',
    ],
    [
      'a time that is over before it begins',
      { rules: [{ fault: 'clock_freeze', from: 10, until: 10 }] },
      'rules.0.until: received 10; allowed: more than from, 10',
    ],
    [
      'an error of another service',
      { rules: [{ service: 'kms', fault: 'error', code: 'RequestLimitExceeded' }] },
      'rules.0.code: received "RequestLimitExceeded"; allowed for kms: AccessDeniedException, DependencyTimeoutException,',
    ],
  ])('with %s is refused, and says why', (_, script, message) => {
    expect(() => parseFaultScript(script)).toThrow(LocalRunError);
    expect(() => parseFaultScript(script)).toThrow(message);
  });

  it('is read from a file', () => {
    expect(readFaultScript(write('{"seed":3,"rules":[]}'))).toEqual({ seed: 3, rules: [] });
  });

  it('has an example that can be used', () => {
    expect(readFaultScript('lab/emulator/faults/example.json').rules).not.toEqual([]);
  });

  it.each([
    ['is no JSON', '{"rules":'],
    ['has a typing error', '{"rule":[]}'],
  ])('names the file that %s', (_, content) => {
    const path = write(content);
    expect(() => readFaultScript(path)).toThrow(path);
  });

  it('names the file that is missing', () => {
    expect(() => readFaultScript('/nowhere/faults.json')).toThrow(
      'the fault script /nowhere/faults.json cannot be read: ENOENT',
    );
  });
});
