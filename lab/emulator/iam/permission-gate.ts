import type { AccessKey } from '../aws-server/access-key.ts';
import type { AwsService } from '../aws-server/aws-error.ts';
import type { VerifiedRequest } from '../aws-server/verify-signature.ts';
import type { Authorizer, Principal, ResourceCall } from './authorizer.ts';
import { type FindKey, type Resources, readCalls } from './aws-calls.ts';

/** A principal that has an access key. */
export interface KeyHolder {
  readonly accessKey: AccessKey;
  /** With its policies as they are at the time of a call. */
  readonly principal: (call: ResourceCall) => Principal | Promise<Principal>;
}

/** Decides which requests to services the policies of an account allow. */
export class PermissionGate {
  readonly #authorizer: Authorizer;
  readonly #findHolder: (accessKeyId: string) => KeyHolder | undefined;
  readonly #resources: Omit<Resources, 'findKey'>;

  constructor(
    authorizer: Authorizer,
    findHolder: (accessKeyId: string) => KeyHolder | undefined,
    resources: Omit<Resources, 'findKey'>,
  ) {
    this.#authorizer = authorizer;
    this.#findHolder = findHolder;
    this.#resources = resources;
  }

  findAccessKey(accessKeyId: string): AccessKey | undefined {
    return this.#findHolder(accessKeyId)?.accessKey;
  }

  /** @throws {AwsError} with AWS's own `AccessDeniedException` if a call is not allowed. */
  async authorize(
    service: AwsService,
    request: VerifiedRequest,
    findKey: FindKey = () => Promise.reject(new Error(`${service} has no keys`)),
  ): Promise<void> {
    const holder = this.#findHolder(request.accessKeyId);
    if (holder === undefined) throw new Error('a verified access key belongs to no principal');
    for (const call of await readCalls(service, request, { ...this.#resources, findKey })) {
      await this.#authorizer.authorize(await holder.principal(call), call);
    }
  }
}

/** Decides who may do what, as IAM does. Without one, every signed call is allowed. */
export interface AccessControl extends Pick<PermissionGate, 'findAccessKey' | 'authorize'> {
  /** ARN of the principal that an access key belongs to. */
  principalArn(accessKeyId: string): string;
}
