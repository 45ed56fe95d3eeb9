import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { type ClientKeyAlg, clientKeyAlgs } from '../../contract/proof-algorithms.ts';
import { providerAlgorithms } from '../../core/identity-provider/provider-algorithms.ts';
import { readPublicJwk } from '../../core/jws/caller-key.ts';
import { type CommandGroup, chosen, command } from '../command-spec.ts';
import { refuseUsage } from '../usage-error.ts';

function makeKeyPair(alg: ClientKeyAlg) {
  const { kty, crv = '' } = providerAlgorithms[alg];
  if (kty === 'RSA') return generateKeyPairSync('rsa', { modulusLength: 3072 });
  if (kty === 'EC') return generateKeyPairSync('ec', { namedCurve: crv });
  return generateKeyPairSync('ed25519');
}

/** Replaces no file: it may be a key that is in use. */
function writeJwk(path: string, jwk: JsonWebKey, mode: number): void {
  try {
    writeFileSync(path, `${JSON.stringify(jwk)}\n`, { mode, flag: 'wx' });
  } catch {
    refuseUsage('FILE', path, 'a new file, also with .pub after its name, in a folder that exists');
  }
}

const create = command({
  name: 'create',
  summary: 'Make a key pair to try with: FILE, which is printed nowhere, and its public FILE.pub',
  arguments: [['file', 'new file for the private key, as a JWK']],
  options: [chosen('--alg <alg>', 'what the key signs with; default: ES256', clientKeyAlgs)],
  examples: ['key create key.jwk', 'key create key.jwk --alg PS256'],
  run: async (cli, [file], { alg = 'ES256' }) => {
    const { privateKey, publicKey } = makeKeyPair(alg);
    const jwk = publicKey.export({ format: 'jwk' });
    writeJwk(file, { ...privateKey.export({ format: 'jwk' }), alg }, 0o600);
    writeJwk(`${file}.pub`, { ...jwk, alg }, 0o644);
    const { thumbprint } = readPublicJwk(jwk);
    const json = { alg, thumbprint, private_key: file, public_key: `${file}.pub` };
    cli.output.print({
      json,
      quiet: [json.public_key],
      text: cli.output.fields(Object.entries(json)),
    });
  },
});

export const keyCommands: CommandGroup = {
  name: 'key',
  summary: 'Make keys of clients, on this machine only',
  commands: [create],
};
