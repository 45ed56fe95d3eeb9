"""Calls the example API with a token that Authlib keeps and renews."""

import os
import threading

from authlib.integrations.requests_client import OAuth2Session
from requests import Response
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

# Seconds before expiry at which the next token is requested: clocks differ and requests take time.
RENEW_BEFORE = 60


class Session(OAuth2Session):
    """Threads that come at once share one request: Authlib lets each of them send its own."""

    lock = threading.Lock()

    def ensure_active_token(self, token=None) -> bool:
        with self.lock:
            return super().ensure_active_token(self.token)

    def replace(self, authorization: str) -> None:
        """Requests another token, unless another thread already has."""
        with self.lock:
            if authorization == f"Bearer {self.token['access_token']}":
                self.fetch_token()


session = Session(
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
    token_endpoint=os.environ["TOKEN_URL"],
    token_endpoint_auth_method="client_secret_basic",
    grant_type="client_credentials",
    scope="messaging:view",
    leeway=RENEW_BEFORE,
    # The session requests a token before a call if it has an expired one, and not if it has none.
    token={"access_token": "", "expires_at": 1},
    default_timeout=10,
)
# Waits once for as long as Retry-After of a 429 or 503 says. Each other response is final.
patient = Retry(1, status_forcelist=(429, 503), allowed_methods=None, raise_on_status=False)
session.mount(os.environ["TOKEN_URL"], HTTPAdapter(max_retries=patient))


def call_api(url: str) -> Response:
    """Calls an API with the token, and once more with a new one after 401."""
    response = session.get(url)
    if response.status_code != 401:
        return response
    session.replace(response.request.headers["Authorization"])
    return session.get(url)


if __name__ == "__main__":
    for _ in range(2):
        url = os.environ["EXAMPLE_URL"]
        print(f"GET {url} {call_api(url).status_code}")
