"""Gets tokens with one library: one for each line that it reads. Writes {"ok": ..., "token": ...}.

`default` is the library as it comes; `ready` has the lines that this service requires.
"""

import json
import os
import sys

library, mode = sys.argv[1:3]
client_id, client_secret, token_url = (
    os.environ[name] for name in ("CLIENT_ID", "CLIENT_SECRET", "TOKEN_URL")
)
scope = "messaging:view"


def with_authlib():
    from authlib.integrations.requests_client import OAuth2Session

    session = OAuth2Session(
        client_id,
        client_secret,
        scope=scope,
        token_endpoint=token_url,
        grant_type="client_credentials",
        **({"leeway": 10} if mode == "ready" else {}),
    )
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


factories = {"Authlib": with_authlib, "requests-oauthlib": with_requests_oauthlib}

get_token = None
for line in sys.stdin:
    try:
        get_token = get_token or factories[library]()
        answer = {"ok": True, "token": get_token()}
    except Exception as error:  # Each library has errors of its own.
        answer = {"ok": False, "why": f"{type(error).__name__}: {error}"[:200]}
    print(json.dumps(answer), flush=True)
