import { describe, expect, it } from 'vitest';
import { repositoryOf } from '../../../lab/build/repository.ts';

describe('the repository of a package', () => {
  it.each([
    'https://github.com/acme/server.git',
    'https://github.com/acme/server',
    'https://user:secret@github.com/acme/server.git',
    'git@github.com:acme/server.git',
    'ssh://git@github.com/acme/server.git\n',
    'ssh://git@github.com:22/acme/server.git',
  ])('is public, without credentials: %s', (remote) => {
    expect(repositoryOf(remote, 'verifier')).toEqual({
      type: 'git',
      url: 'git+https://github.com/acme/server.git',
      directory: 'verifier',
    });
  });

  it.each(['/srv/git/server.git', '../server', 'file:///srv/server.git', ''])(
    'is left out if the remote is on this machine: %j',
    (remote) => {
      expect(repositoryOf(remote, 'verifier')).toBeUndefined();
    },
  );
});
