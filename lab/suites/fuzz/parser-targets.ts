import {
  EventError,
  parseCanaryEvent,
  parseKeyRotationEvent,
} from '../../../contract/function-events.ts';
import { acceptsSource, formatCidr, parseCidr, parseSubnet } from '../../../core/api-key/subnet.ts';
import { formatApiKeyValue, readApiKeyId } from '../../../core/credential/credential-value.ts';
import { matchesEtag } from '../../../core/document/etag.ts';
import { InputError, RefusedError } from '../../../core/errors.ts';
import { parseDiscoveryDocument } from '../../../core/identity-provider/discovery-document.ts';
import { lintKeySet } from '../../../core/identity-provider/key-lint.ts';
import { parseIpAddress } from '../../../core/network/ip-address.ts';
import { OAuthError } from '../../../core/oauth-error.ts';
import { parseBasicCredentials } from '../../../core/token/client-authentication.ts';
import {
  assertFormContentType,
  parseForm,
  parseTokenParameters,
} from '../../../core/token/token-parameters.ts';
import { BearerRefusal } from '../../../core/verifier/bearer-refusal.ts';
import { decodeUnverifiedJws } from '../../../core/verifier/compact-jws.ts';
import { parseJsonObject } from '../../../core/verifier/json-object.ts';
import { basic } from '../../support/token-request.ts';
import { expectThat, type FuzzTarget, mayRefuse } from './fuzz-target.ts';

const urlEncoded = 'application/x-www-form-urlencoded';

function parseJson(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

const rsaKey =
  '{"kty":"RSA","kid":"a","use":"sig","alg":"RS256","e":"AQAB","n":"sXchDaQebHnPiGvyDOAT4saGEUetSyo9MKLOoWFsueri23bOdgWp4Dy1WlUzewbgBHod5pcM9H95GQRV3JDXboIRROSBigeC5yjU1hGzHHyXss8UDprecbAYxknTcQkhslANGRUZmdTOQ5qTRsLAt6BTYuyvVRdhS8exSZEy_c4gs_7svlJJQ4H9_NxsiIoLwAEk7-Q3UXERGYw_75IDrGA84-lA_-Ct4eTlXHBIY2EaV7t7LjJaynVJCpkv4LKjTTAumiGUIuQhrNhZLuF_RJLqHpM2kgWFLU7-VTdL1VbC2tejvcI2BlMkEpk1BzBZI0KQB0GaDWFLN-aEAw3vRw"}';
const ecKey =
  '{"kty":"EC","crv":"P-256","kid":"b","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}';

/** Everything that parses bytes from outside, one parser at a time. */
export const parserTargets: Readonly<Record<string, FuzzTarget>> = {
  form: {
    seeds: ['grant_type=client_credentials&scope=a%3Ab+c', 'a=%E2%82%AC&b=%00&=&a', '&&=&%'],
    run: (data) => {
      const form = mayRefuse([OAuthError], () => parseForm(data));
      expectThat(form === undefined || form instanceof Map, 'a form is a map');
    },
  },
  parameters: {
    seeds: [
      'grant_type=client_credentials&scope=messaging:view&resource=https://api.example.com',
      'grant_type=client_credentials&client_secret=x&__proto__=y',
    ],
    run: (data) =>
      mayRefuse([OAuthError], () =>
        parseTokenParameters({
          contentTypes: [urlEncoded],
          authorizations: [],
          queryNames: [],
          body: data,
        }),
      ),
  },
  content_type: {
    seeds: [urlEncoded, `${urlEncoded}; charset=UTF-8`, 'multipart/form-data; boundary="a;b"'],
    run: (data) => mayRefuse([OAuthError], () => assertFormContentType([data.toString('latin1')])),
  },
  basic: {
    seeds: [
      basic('client_0000000000000000000001', 'cs_secret'),
      basic('a%3Ab', 'c+d'),
      'Basic Og==',
    ],
    run: (data) => {
      const found = mayRefuse([OAuthError], () => parseBasicCredentials(data.toString('latin1')));
      if (found === undefined) return;
      expectThat(found.clientId !== '' && found.clientSecret !== '', 'neither half is empty');
    },
  },
  jws: {
    seeds: [
      'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln',
      'e30.e30.',
      'eyJhIjoxLCJhIjoyfQ.e30.AA',
      '..',
    ],
    run: (data) => mayRefuse([BearerRefusal], () => decodeUnverifiedJws(data.toString('latin1'))),
  },
  json_object: {
    seeds: ['{"a":1,"b":[{"c":null}]}', '{"a":1,"a":2}', '{"__proto__":{"x":1}}', '['.repeat(40)],
    run: (data) => {
      const text = data.toString('utf8');
      const found = parseJsonObject(text);
      if (found === undefined) return;
      const usual = JSON.parse(text) as object;
      expectThat(
        JSON.stringify(found) === JSON.stringify(usual),
        'what is accepted means what JSON.parse says',
      );
    },
  },
  jwks: {
    seeds: [
      `{"keys":[${rsaKey}]}`,
      `{"keys":[${ecKey}]}`,
      `{"keys":[${rsaKey},${rsaKey}]}`,
      '{"keys":[{"kty":"oct","k":"AA"}]}',
    ],
    run: (data) => {
      const found = mayRefuse([RefusedError], () => lintKeySet(parseJson(data), undefined));
      for (const key of found?.keys ?? []) {
        expectThat(!('d' in key) && !('k' in key), 'an accepted key is public');
      }
    },
  },
  discovery: {
    seeds: [
      '{"issuer":"https://idp.example.com","jwks_uri":"https://idp.example.com/jwks","id_token_signing_alg_values_supported":["RS256"]}',
      '{"issuer":"https://idp.example.com/a","jwks_uri":"https://127.0.0.1/jwks"}',
    ],
    run: (data) => {
      const found = mayRefuse([InputError, RefusedError], () =>
        parseDiscoveryDocument(parseJson(data)),
      );
      if (found === undefined) return;
      const isHttps = [found.issuer, found.jwksUri].every((url) => url.startsWith('https://'));
      expectThat(isHttps, 'an accepted URL is https');
    },
  },
  subnet: {
    seeds: [
      '203.0.113.0/24',
      '2001:db8::/32',
      '::ffff:192.0.2.1/120',
      '10.0.0.1/255.0.255.0',
      '0x7f.1/8',
    ],
    run: (data) => {
      const subnet = mayRefuse([InputError], () => parseCidr(data.toString('utf8')));
      if (subnet === undefined) return;
      const again = parseCidr(formatCidr(subnet));
      expectThat(JSON.stringify(again) === JSON.stringify(subnet), 'it reads what it writes');
      expectThat(
        acceptsSource([{ ...subnet, subnetId: 'subnet_a', name: 'a' } as never], subnet.address),
        'a subnet holds its own address',
      );
    },
  },
  netmask: {
    seeds: ['255.255.255.0', '24', '/24', 'ffff:ffff::', '255.0.255.0', '4294967295'],
    run: (data) => {
      for (const address of ['203.0.113.0', '2001:db8::']) {
        mayRefuse([InputError], () => parseSubnet(address, data.toString('utf8')));
      }
    },
  },
  source_address: {
    seeds: ['192.0.2.1', '::1', '::ffff:7f00:1', 'fe80::1%eth0', '1.2.3', '0177.0.0.1'],
    run: (data) => parseIpAddress(data.toString('utf8')),
  },
  api_key: {
    seeds: [formatApiKeyValue('key_0000000000000000000007', Buffer.alloc(32, 7)), 'ak_', 'ak__'],
    run: (data) => {
      const id = readApiKeyId(data.toString('latin1'));
      expectThat(id === undefined || /^key_[0-9A-Za-z]{22}$/.test(id), 'an id has the form of one');
    },
  },
  etag: {
    seeds: ['"abc"', 'W/"abc", "def"', '*', '"'.repeat(50)],
    run: (data) => matchesEtag([data.toString('latin1')], '"never"'),
  },
  function_event: {
    seeds: [
      '{"action":"deploy"}',
      '{"action":"withdraw","kid":"a","emergency":true}',
      '{"kid":"x"}',
    ],
    run: (data) => {
      const input = parseJson(data);
      mayRefuse([EventError], () => parseKeyRotationEvent(input));
      mayRefuse([EventError], () => parseCanaryEvent(input));
    },
  },
};
