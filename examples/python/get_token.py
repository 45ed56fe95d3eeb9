"""Calls the example API with a token that Authlib keeps and renews."""

import os

from authlib.integrations.requests_client import OAuth2Session

# Seconds before expiry at which the next token is fetched: clocks differ and requests take time.
REFRESH_BEFORE = 120

session = OAuth2Session(
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
    token_endpoint=os.environ["TOKEN_URL"],
    token_endpoint_auth_method="client_secret_basic",
    grant_type="client_credentials",
    scope="messaging:view",
    leeway=REFRESH_BEFORE,
    default_timeout=10,
)
# The first token; from now on the session fetches the next one before a request needs it.
session.fetch_token()

for _ in range(2):
    url = os.environ["EXAMPLE_URL"]
    response = session.get(url)
    print(f"GET {url} {response.status_code}")
