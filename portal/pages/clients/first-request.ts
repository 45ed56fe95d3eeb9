import { tokenPath } from '../../../contract/routes.ts';
import { quoteWord } from '../../../contract/shell-word.ts';

/** What the programs of a client's page contain. None contains a secret. */
interface FirstRequest {
  /** Undefined if the deployment's config has none. */
  readonly issuer: string | undefined;
  readonly clientId: string;
  /** Scopes that the client has. */
  readonly scopes: readonly string[];
}

/** In place of the address if the deployment's config has none. */
const unknownIssuer = 'https://API_ADDRESS';

/** A token request. curl asks for the secret, which keeps it out of history and process list. */
export function tokenCommand({ issuer, clientId }: Omit<FirstRequest, 'scopes'>): string {
  return `curl -u ${quoteWord(clientId)} -d grant_type=client_credentials ${issuer ?? unknownIssuer}${tokenPath}`;
}

/**
 * A call of an API. The shell asks for the credential, and curl reads it from there: it is neither in
 * the history nor in the list of processes.
 */
export function callCommand(apiUrl = 'API_URL'): string {
  return `read -rs CREDENTIAL; printf 'Authorization: Bearer %s' "$CREDENTIAL" | curl -i -H @- ${apiUrl}`;
}

/** A program that gets a token and calls an API with it. */
export interface FirstProgram {
  readonly name: string;
  /** What installs the library. */
  readonly install: string;
  /** The file that the program is saved as. */
  readonly file: string;
  readonly command: string;
  readonly text: string;
}

/** A value as a string of JavaScript, Python and Go. */
const quote = (value: string) => JSON.stringify(value);

function withOpenidClient({ issuer = unknownIssuer, clientId, scopes }: FirstRequest): string {
  // Only a run on the reader's own machine has such an address.
  const isPlain = issuer.startsWith('http:');
  return `import * as client from 'openid-client';

const server = await client.discovery(
  new URL(${quote(issuer)}),
  ${quote(clientId)},
  undefined,
  client.ClientSecretBasic(process.env.CLIENT_SECRET),${
    isPlain ? '\n  { execute: [client.allowInsecureRequests] },' : ''
  }
);
const token = await client.clientCredentialsGrant(server, { scope: ${quote(scopes.join(' '))} });
const url = new URL(process.env.API_URL);
const response = await client.fetchProtectedResource(server, token.access_token, url, 'GET');
console.log(response.status, await response.text());
`;
}

function withAuthlib({ issuer = unknownIssuer, clientId, scopes }: FirstRequest): string {
  return `import os

from authlib.integrations.requests_client import OAuth2Session

session = OAuth2Session(
    client_id=${quote(clientId)},
    client_secret=os.environ["CLIENT_SECRET"],
    token_endpoint=${quote(issuer + tokenPath)},
    token_endpoint_auth_method="client_secret_basic",
    grant_type="client_credentials",
    scope=${quote(scopes.join(' '))},
    default_timeout=10,
)
session.fetch_token()
response = session.get(os.environ["API_URL"])
print(response.status_code, response.text)
`;
}

function withGo({ issuer = unknownIssuer, clientId, scopes }: FirstRequest): string {
  return `package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

func main() {
	config := clientcredentials.Config{
		ClientID:     ${quote(clientId)},
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		TokenURL:     ${quote(issuer + tokenPath)},
		Scopes:       []string{${scopes.map(quote).join(', ')}},
		AuthStyle:    oauth2.AuthStyleInHeader,
	}
	response, err := config.Client(context.Background()).Get(os.Getenv("API_URL"))
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	fmt.Println(response.StatusCode, string(body))
}
`;
}

/**
 * Programs for three libraries. Each reads the secret and the address of the API from its
 * environment.
 */
export function firstPrograms(request: FirstRequest): readonly FirstProgram[] {
  return [
    {
      name: 'JavaScript, openid-client',
      install: 'npm install openid-client',
      file: 'first-call.mjs',
      command: 'node first-call.mjs',
      text: withOpenidClient(request),
    },
    {
      name: 'Python, Authlib',
      install: 'pip install authlib requests',
      file: 'first_call.py',
      command: 'python first_call.py',
      text: withAuthlib(request),
    },
    {
      name: 'Go, golang.org/x/oauth2',
      install: 'go mod init first-call && go get golang.org/x/oauth2',
      file: 'main.go',
      command: 'go run .',
      text: withGo(request),
    },
  ];
}
