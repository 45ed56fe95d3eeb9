import { maxClientIdLength } from './bounds.ts';

const ownPattern = /^client_[0-9A-Za-z]{22}$/;

/** What the ids and values of other records begin with, so no client has such an id. */
const recordPrefix = /^(?:client|secret|key|subnet|idp|cs|ak)_/i;

/** As HTTP Basic carries an id with and without a form's encoding. "." and ".." are no part of a URL. */
const importedPattern = /^[!-$&-*,-9;-~]{3,}$/;

/** In messages. */
export const importedClientIdHelp = `3 to ${maxClientIdLength} printable ASCII characters without space, "%", "+" and ":", and not "client_", "key_" or the like first`;

/** Whether a client of another provider may be imported with its id. */
export function isImportedClientId(value: string): boolean {
  const { length } = value;
  return length <= maxClientIdLength && importedPattern.test(value) && !recordPrefix.test(value);
}

/** Whether a client may have the id: one that this service made, or one of another provider. */
export function isClientId(value: string): boolean {
  return ownPattern.test(value) || isImportedClientId(value);
}
