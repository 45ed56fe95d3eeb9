/**
 * The library behind CVE-2017-15361 (ROCA) made primes that are powers of 65537 modulo every
 * small prime. These primes are the ones below 168 for which few residues are such powers: a
 * sound modulus passes as weak once in about 2^27.
 */
const fingerprintPrimes = [
  11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157,
];

const generator = 65_537;

function powersModulo(prime: number): ReadonlySet<number> {
  const powers = new Set<number>();
  for (let power = 1; !powers.has(power); power = (power * generator) % prime) powers.add(power);
  return powers;
}

const fingerprint = fingerprintPrimes.map((prime) => [BigInt(prime), powersModulo(prime)] as const);

/** Whether an RSA modulus has the fingerprint of CVE-2017-15361, so that it can be factored. */
export function hasRocaFingerprint(modulus: bigint): boolean {
  return fingerprint.every(([prime, powers]) => powers.has(Number(modulus % prime)));
}

/** RFC 7518 §3.3. */
const minModulusBits = 2048;
/** The cost of a verification grows with the square of the length; longer keys are not in use. */
const maxModulusBits = 8192;
/** FIPS 186-5 §5.1: e is odd and at least 65537. 31 bits are the most that all libraries take. */
const minExponent = 65_537n;
const maxExponent = 2n ** 31n - 1n;

function toInteger(base64url: string): bigint {
  const hex = Buffer.from(base64url, 'base64url').toString('hex');
  return hex === '' ? 0n : BigInt(`0x${hex}`);
}

/** Printed only if it is short: the decimal digits of a number of 190 KB take half a second. */
function describeExponent(exponent: bigint): string {
  const bits = exponent.toString(2).length;
  return bits > 80 ? `has ${bits} bits` : `is ${exponent}`;
}

/** The length of a modulus of a JWK. */
export function findRsaBits(n: string): number {
  return toInteger(n).toString(2).length;
}

/** What is wrong with an RSA public key, given by its JWK members, or undefined. */
export function findRsaWeakness(n: string, e: string): string | undefined {
  const modulus = toInteger(n);
  const bits = modulus.toString(2).length;
  if (bits < minModulusBits) return `its modulus has ${bits} bits, ${minModulusBits} are needed`;
  if (bits > maxModulusBits) return `its modulus has ${bits} bits, ${maxModulusBits} are allowed`;
  const exponent = toInteger(e);
  if (exponent < minExponent || exponent > maxExponent || exponent % 2n === 0n) {
    return `its exponent ${describeExponent(exponent)}, ${minExponent} is usual`;
  }
  if (modulus % 2n === 0n) return 'its modulus is even';
  return hasRocaFingerprint(modulus) ? 'its modulus can be factored (CVE-2017-15361)' : undefined;
}
