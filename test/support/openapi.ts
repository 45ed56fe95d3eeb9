import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import * as formats from 'ajv-formats';
import { parse } from 'yaml';

export const openapiPath = resolve(import.meta.dirname, '../../docs/openapi.yaml');

interface Reference {
  readonly $ref: string;
}

interface Header {
  readonly required?: boolean;
  readonly schema: object;
}

interface MediaType {
  readonly schema: Reference;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface DocumentedResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Reference>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

interface Operation {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly responses: Readonly<Record<string, Reference | DocumentedResponse>>;
}

interface OpenapiDocument {
  readonly servers: readonly { readonly url: string; readonly variables?: unknown }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, DocumentedResponse>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly schemas: Readonly<
      Record<string, { readonly properties?: Readonly<Record<string, { enum?: string[] }>> }>
    >;
  };
}

export function readOpenapi(): OpenapiDocument {
  return parse(readFileSync(openapiPath, 'utf8')) as OpenapiDocument;
}

/** What the document says, ready to be asked about responses. */
export class OpenapiSchemas {
  readonly #document = readOpenapi();
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });

  constructor() {
    // The package's types call its function a namespace.
    (formats.default as unknown as (ajv: Ajv2020) => void)(this.#ajv);
    this.#ajv.addSchema(this.#document, 'openapi');
  }

  validatorOf(pointer: string): ValidateFunction {
    return this.#ajv.compile({ $ref: `openapi${pointer}` });
  }

  /** Problems of a value under a component schema; none if it fits. */
  problemsOf(schema: string, value: unknown): readonly string[] {
    const validate = this.validatorOf(`#/components/schemas/${schema}`);
    return validate(value) ? [] : [this.#ajv.errorsText(validate.errors)];
  }

  responseOf(path: string, method: string, status: number): DocumentedResponse {
    const responses = this.#document.paths[path]?.[method]?.responses ?? {};
    const found = responses[status] ?? responses['default'];
    if (found === undefined) throw new Error(`${method} ${path} documents no ${status}`);
    if (!('$ref' in found)) return found;
    const name = found.$ref.replace('#/components/responses/', '');
    const response = this.#document.components.responses[name];
    if (response === undefined) throw new Error(`there is no response ${name}`);
    return response;
  }

  #headerProblems(response: DocumentedResponse, headers: Headers): readonly string[] {
    return Object.entries(response.headers ?? {}).flatMap(([name, { $ref }]) => {
      const header = this.#document.components.headers[$ref.replace('#/components/headers/', '')];
      const value = headers.get(name);
      if (value === null) return header?.required === true ? [`${name} is missing`] : [];
      const fits: boolean = this.validatorOf(`${$ref}/schema`)(value);
      return fits ? [] : [`${name}: received ${value}`];
    });
  }

  /** Problems of a response of the service; none if it is as documented. */
  async responseProblems(documented: DocumentedResponse, response: Response) {
    const problems = [...this.#headerProblems(documented, response.headers)];
    const text = await response.text();
    const content = documented.content?.['application/json'];
    if (content === undefined) return text === '' ? problems : [...problems, 'has a body'];
    const validate = this.#ajv.compile({ $ref: `openapi${content.schema.$ref}` });
    if (!validate(JSON.parse(text))) problems.push(this.#ajv.errorsText(validate.errors));
    return problems;
  }
}
