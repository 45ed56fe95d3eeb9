// Prints a proof that its sender holds a key (RFC 9449 §4.2), for one request.
// node prove.ts KEY_FILE METHOD URL [ACCESS_TOKEN]; KEY_FILE is a private JWK of `authctl key create`.
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { importJWK, type JWK, SignJWT } from 'jose';

const [file = '', htm, htu, token] = process.argv.slice(2);
const privateJwk = JSON.parse(readFileSync(file, 'utf8')) as JWK;
const { alg = '', kty = '', crv, x, y, n, e } = privateJwk;
const ath = token && createHash('sha256').update(token).digest('base64url');
const proof = await new SignJWT({ htm, htu, ath, jti: randomUUID() })
  .setProtectedHeader({ typ: 'dpop+jwt', alg, jwk: { kty, crv, x, y, n, e } })
  .setIssuedAt()
  .sign(await importJWK(privateJwk));
process.stdout.write(`${proof}\n`);
