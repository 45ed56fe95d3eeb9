import { describe, expect, it } from 'vitest';
import { kmsKeyPolicy, kmsKeyTags } from '../../../contract/kms-key.ts';
import { checkCustody, isSamePolicy } from '../../../core/key-rotation/publish-key.ts';
import { type KeyInspection } from '../../../core/key-rotation/rotation-ports.ts';
import { pooledPublicKey } from '../../../lab/suites/rotation/simulation/public-keys.ts';

const account = 'arn:aws:iam::111122223333:root';
const policy = kmsKeyPolicy({
  account,
  rotationRole: 'arn:aws:iam::111122223333:role/rotation',
  signingRoles: ['arn:aws:iam::111122223333:role/token', 'arn:aws:iam::111122223333:role/canary'],
});
const expected = { deploymentName: 'here', keyPolicy: policy };

const inspection: KeyInspection = {
  state: 'enabled',
  kmsKeySpec: 'ECC_NIST_P256',
  keyUsage: 'SIGN_VERIFY',
  origin: 'AWS_KMS',
  keyManager: 'CUSTOMER',
  isMultiRegion: false,
  tags: new Map([[kmsKeyTags.deployment, 'here']]),
  policy: JSON.stringify(policy),
  grants: 0,
  spki: pooledPublicKey('ES256', 0),
};

function check(more: Partial<KeyInspection>) {
  return checkCustody({ ...inspection, ...more }, 'ES256', expected);
}

const [first, ...others] = policy.Statement;
const withStatements = (...Statement: readonly unknown[]) =>
  JSON.stringify({ ...policy, Statement });

describe('the custody of a key', () => {
  it('is good if only the service can sign with the key, whose public half comes from KMS', () => {
    expect(check({})).toMatchObject({
      faults: [],
      publicJwk: { alg: 'ES256', kid: 'GEiuRjUObbj1yPy49SzyjbvpVTz-4RcddfJqsjBTpFY' },
    });
  });

  it.each<[what: string, Partial<KeyInspection>, fault: string]>([
    ['is disabled', { state: 'disabled' }, 'state: received disabled; allowed: enabled'],
    [
      'is of another spec',
      { kmsKeySpec: 'RSA_2048' },
      'KeySpec: received RSA_2048; allowed: ECC_NIST_P256',
    ],
    [
      'is for another use',
      { keyUsage: 'KEY_AGREEMENT' },
      'KeyUsage: received KEY_AGREEMENT; allowed: SIGN_VERIFY',
    ],
    ['was imported', { origin: 'EXTERNAL' }, 'Origin: received EXTERNAL; allowed: AWS_KMS'],
    [
      'is in a key store outside AWS',
      { origin: 'EXTERNAL_KEY_STORE' },
      'Origin: received EXTERNAL_KEY_STORE; allowed: AWS_KMS',
    ],
    ['belongs to AWS', { keyManager: 'AWS' }, 'KeyManager: received AWS; allowed: CUSTOMER'],
    [
      'may have replicas with other policies',
      { isMultiRegion: true },
      'MultiRegion: received true; allowed: false',
    ],
    [
      'is of another deployment',
      { tags: new Map([[kmsKeyTags.deployment, 'there']]) },
      'tag authorization-server:deployment: received there; allowed: here',
    ],
    ['has a grant', { grants: 1 }, 'grants: received 1; allowed: 0'],
    ['has grants that were not read', { grants: Number.NaN }, 'grants: received NaN; allowed: 0'],
    [
      'has a public half of another curve',
      { spki: pooledPublicKey('ES384', 0) },
      'public key: received curve P-384 for ES256; allowed: P-256',
    ],
  ])('is refused for a key that %s', (_, more, fault) => {
    expect(check(more)).toEqual({ faults: [fault] });
  });

  const foreign = { ...first, Sid: 'More', Principal: { AWS: 'arn:aws:iam::999999999999:root' } };
  it.each<[what: string, text: string]>([
    ['is empty', ''],
    ['is no JSON', '{'],
    ['has a statement more', withStatements(first, ...others, foreign)],
    ['has a statement less', withStatements(first, ...others.slice(1))],
    ['has a second principal', withStatements(first, ...others).replace(account, `x","${account}`)],
    [
      'lets one more role sign',
      JSON.stringify(policy).replace('role/canary', 'role/canary","arn:aws:iam::1:role/x'),
    ],
    ['waits less', JSON.stringify(policy).replace('"30"', '"7"')],
    ['allows what it should deny', JSON.stringify(policy).replace('Deny', 'Allow')],
  ])('is refused for a key whose policy %s', (_, text) => {
    const { faults } = check({ policy: text });
    expect(faults).toEqual(["key policy: received another one than this deployment's"]);
  });
});

describe('a key policy', () => {
  it('is the same however KMS writes it', () => {
    const shuffled = {
      Statement: policy.Statement.toReversed().map((statement) => ({
        ...statement,
        Principal: { AWS: [statement.Principal.AWS] },
        Resource: ['*'],
        Action: [statement.Action].flat().toReversed(),
      })),
      Version: policy.Version,
    };
    expect(isSamePolicy(JSON.stringify(shuffled, undefined, 2), policy)).toBe(true);
  });
});
