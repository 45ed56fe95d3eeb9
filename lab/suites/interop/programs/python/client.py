"""Gets tokens with one library: one for each line that it reads. Writes {"ok": ..., "token": ...}.

`default` is the library as it comes; `ready` has the lines that this service requires. `key` and
`key-ready` authenticate with a key, and `assertion` with what a platform signed. `proof` binds the
tokens to a key, and calls an API with each.
"""

import json
import os
import sys

library, mode = sys.argv[1:3]
client_id, client_secret, token_url = (
    os.environ[name] for name in ("CLIENT_ID", "CLIENT_SECRET", "TOKEN_URL")
)
scope = os.environ.get("SCOPE", "messaging:view")
issuer = os.environ["ISSUER"]
with_key = mode.startswith("key")


def with_authlib():
    from authlib.integrations.requests_client import OAuth2Session

    options = {"leeway": 10} if mode == "ready" else {}
    secret = client_secret
    if with_key:
        from joserfc import jwk

        secret = jwk.import_key(json.loads(os.environ["PRIVATE_JWK"]))
        options = {"token_endpoint_auth_method": "private_key_jwt"}
    session = OAuth2Session(
        client_id,
        secret,
        scope=scope,
        token_endpoint=token_url,
        grant_type="client_credentials",
        **options,
    )
    if with_key:
        from authlib.oauth2.rfc7523 import PrivateKeyJWT

        claims = {"aud": issuer} if mode == "key-ready" else None
        method = PrivateKeyJWT(token_url, claims, alg=os.environ["KEY_ALG"])
        session.register_client_auth_method(method)
    session.fetch_token()

    def get_token():
        session.ensure_active_token(session.token)
        return session.token["access_token"]

    return get_token


def with_requests_oauthlib():
    from oauthlib.oauth2 import BackendApplicationClient
    from requests_oauthlib import OAuth2Session

    session = OAuth2Session(client=BackendApplicationClient(client_id, scope=scope))

    def get_token():
        token = session.fetch_token(token_url, client_id=client_id, client_secret=client_secret)
        return token["access_token"]

    return get_token


def with_requests_oauth2client():
    import requests
    from requests_oauth2client import ClientSecretBasic, OAuth2Client, PrivateKeyJwt

    auth = (client_id, client_secret)
    if mode in ("ready", "proof"):
        auth = ClientSecretBasic(*auth)
    if with_key:
        key = json.loads(os.environ["PRIVATE_JWK"])
        auth = PrivateKeyJwt(client_id, key, **({"aud": issuer} if mode == "key-ready" else {}))
    client = OAuth2Client(token_url, auth=auth)

    def get_token():
        token = client.client_credentials(scope=scope, dpop=mode == "proof")
        if mode == "proof":
            requests.get(os.environ["EXAMPLE_URL"], auth=token).raise_for_status()
        return token.access_token

    return get_token


def with_mcp():
    """Calls an MCP server with the SDK's own flow: refusal, its metadata, discovery here, token."""
    import asyncio
    import ssl

    import httpx2
    from mcp.client.auth.extensions import client_credentials as extension

    audience = os.environ["AUDIENCE"]
    seen = []

    def answer_as_server(request):
        if request.url.path.startswith("/.well-known/oauth-protected-resource"):
            body = {"resource": audience, "authorization_servers": [issuer]}
            return httpx2.Response(200, json={**body, "scopes_supported": [scope]})
        authorization = request.headers.get("authorization")
        if authorization is None:
            return httpx2.Response(401, headers={"www-authenticate": "Bearer"})
        seen.append(authorization.removeprefix("Bearer "))
        return httpx2.Response(202)

    class Storage:
        tokens = client = None

        async def get_tokens(self):
            return self.tokens

        async def set_tokens(self, tokens):
            self.tokens = tokens

        async def get_client_info(self):
            return self.client

        async def set_client_info(self, client):
            self.client = client

    if with_key or mode == "assertion":
        parameters = extension.SignedJWTParameters(
            issuer=client_id,
            subject=client_id,
            signing_key=os.environ["PRIVATE_KEY"],
            signing_algorithm=os.environ["KEY_ALG"],
        )
        get_assertion = (
            parameters.create_assertion_provider()
            if with_key
            else extension.static_assertion_provider(os.environ["ASSERTION"])
        )
        provider = extension.PrivateKeyJWTOAuthProvider(
            audience, Storage(), client_id, get_assertion, scope=scope, issuer=issuer
        )
    else:
        provider = extension.ClientCredentialsOAuthProvider(
            audience, Storage(), client_id, client_secret, scope=scope, issuer=issuer
        )
    trust = ssl.create_default_context(cafile=os.environ.get("SSL_CERT_FILE"))

    async def call():
        mounts = {audience: httpx2.MockTransport(answer_as_server)}
        async with httpx2.AsyncClient(auth=provider, verify=trust, mounts=mounts) as http:
            await http.post(audience, json={"jsonrpc": "2.0", "method": "notifications/initialized"})
        return seen[-1]

    return lambda: asyncio.run(call())


def with_pyiceberg():
    from pyiceberg.catalog.rest import auth
    from requests import Session

    if mode == "default":
        credential = f"{client_id}:{client_secret}"
        manager = auth.LegacyOAuth2AuthManager(Session(), token_url, credential, None, {"scope": scope})
    else:
        manager = auth.OAuth2AuthManager(
            client_id, client_secret, token_url, scope, refresh_margin=10
        )
    return lambda: manager.auth_header().removeprefix("Bearer ")


def with_ansible():
    """The module `uri`, as a playbook calls it."""
    import subprocess
    import sysconfig

    ansible = os.path.join(sysconfig.get_path("scripts"), "ansible")
    arguments = {
        "url": token_url,
        "method": "POST",
        "url_username": client_id,
        "url_password": client_secret,
        "body_format": "form-urlencoded",
        "body": {"grant_type": "client_credentials", "scope": scope},
        **({"force_basic_auth": True} if mode == "ready" else {}),
    }

    def get_token():
        command = [ansible, "localhost", "-m", "uri", "-a", json.dumps(arguments)]
        run = subprocess.run(command, capture_output=True, text=True)
        result = json.loads(run.stdout[run.stdout.index("=> ") + 3 :])
        if run.returncode != 0:
            raise ValueError(result["msg"])
        return result["json"]["access_token"]

    return get_token


def with_snowflake():
    """Connects to an account that keeps the token of each login, and refuses it."""
    import threading
    from http.server import BaseHTTPRequestHandler, HTTPServer

    import snowflake.connector

    seen = []

    class Account(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            if self.path.startswith("/session/v1/login-request"):
                seen.append(json.loads(body)["data"]["TOKEN"])
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"success": false, "message": "seen", "code": "390100"}')

        def log_message(self, *_):
            pass

    account = HTTPServer(("127.0.0.1", 0), Account)
    threading.Thread(target=account.serve_forever, daemon=True).start()

    def get_token():
        try:
            snowflake.connector.connect(
                account="local",
                user="dialer",
                role="loader",
                host="127.0.0.1",
                port=account.server_port,
                protocol="http",
                authenticator="OAUTH_CLIENT_CREDENTIALS",
                oauth_client_id=client_id,
                oauth_client_secret=client_secret,
                oauth_token_request_url=token_url,
                enable_server_session_keep_alive_auto_detection=False,
                **({"oauth_scope": scope} if mode == "ready" else {}),
            )
        except snowflake.connector.errors.DatabaseError:
            if not seen:
                raise
        return seen.pop()

    return get_token


factories = {
    "snowflake-connector-python": with_snowflake,
    "ansible-core": with_ansible,
    "pyiceberg": with_pyiceberg,
    "Authlib": with_authlib,
    "requests-oauthlib": with_requests_oauthlib,
    "requests_oauth2client": with_requests_oauth2client,
    "mcp": with_mcp,
}

get_token = None
for line in sys.stdin:
    try:
        get_token = get_token or factories[library]()
        answer = {"ok": True, "token": get_token()}
    except Exception as error:  # Each library has errors of its own.
        answer = {"ok": False, "why": f"{type(error).__name__}: {error}"[:200]}
    print(json.dumps(answer), flush=True)
