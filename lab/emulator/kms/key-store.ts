import { createPrivateKey } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AwsError } from '../aws-server/aws-error.ts';
import { writePrivateFile } from '../private-file.ts';
import { answersUnavailable, type OnStorage, StorageWatch } from '../storage.ts';
import type { KmsKey } from './kms-key.ts';

type StoredKey = Omit<KmsKey, 'privateKey'> & { readonly privateKey: string };

function parseStoredKey(text: string): KmsKey {
  const stored = JSON.parse(text) as StoredKey;
  return { ...stored, privateKey: createPrivateKey(stored.privateKey) };
}

function formatStoredKey(key: KmsKey): string {
  const privateKey = key.privateKey.export({ type: 'pkcs8', format: 'pem' });
  return `${JSON.stringify({ ...key, privateKey }, undefined, 2)}\n`;
}

/** The keys, in memory and, if a directory is given, each in a private file. */
export class KeyStore {
  readonly #keys = new Map<string, KmsKey>();
  readonly #directory: string | undefined;
  readonly #storage: StorageWatch;

  constructor(directory?: string, onStorage?: OnStorage) {
    this.#directory = directory;
    this.#storage = new StorageWatch('KMS', directory ?? '', answersUnavailable, onStorage);
    if (directory === undefined || !existsSync(directory)) return;
    for (const name of readdirSync(directory).filter((file) => file.endsWith('.json'))) {
      const key = parseStoredKey(readFileSync(join(directory, name), 'utf8'));
      this.#keys.set(key.keyId, key);
    }
  }

  /** Every key, by id. */
  list(): readonly KmsKey[] {
    return [...this.#keys.values()].sort((a, b) => (a.keyId < b.keyId ? -1 : 1));
  }

  /** @throws {AwsError} if the key cannot be written. Nothing is changed then. */
  save(key: KmsKey): void {
    if (this.#directory !== undefined) this.#write(this.#file(this.#directory, key.keyId), key);
    this.#keys.set(key.keyId, key);
  }

  #write(path: string, key: KmsKey): void {
    try {
      writePrivateFile(path, formatStoredKey(key));
      this.#storage.worked();
    } catch (error) {
      this.#storage.failed(error);
      throw new AwsError('ServiceUnavailable', 'the folder of the keys cannot be written to', 503);
    }
  }

  delete(keyId: string): void {
    this.#keys.delete(keyId);
    if (this.#directory !== undefined) rmSync(this.#file(this.#directory, keyId), { force: true });
  }

  #file(directory: string, keyId: string): string {
    return join(directory, `${keyId}.json`);
  }
}
