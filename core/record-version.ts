/** Least distance between the first versions of two lives of a record. */
const versionsPerLife = 4096;

/** With the changes of a life, a version has at most 15 digits, which a number holds exactly. */
const randomBits = 37;

/** Bytes that the random part is taken from. */
const drawnBytes = 5;

/**
 * The first version of a record. It is random, because an id can come back: a record is deleted and
 * created again with the same idempotency key, or for the same client of a provider. Every change is
 * conditional on the version that it was based on, so a change of a former life must find none of
 * its versions again.
 */
export function firstVersion(drawBytes: (length: number) => Uint8Array): number {
  const drawn = Buffer.from(drawBytes(drawnBytes)).readUIntBE(0, drawnBytes);
  return (drawn % 2 ** randomBits) * versionsPerLife + 1;
}

/**
 * Whether a record was not changed since its creation. Also true of each 4,096th change: use it
 * only where that does no harm.
 */
export function isFirstVersion(version: number): boolean {
  return version % versionsPerLife === 1;
}

/** Whether a version is of the same life of a record as an earlier one, from seconds before. */
export function isOfSameLife(earlier: number, version: number): boolean {
  return version >= earlier && version - earlier < versionsPerLife;
}
