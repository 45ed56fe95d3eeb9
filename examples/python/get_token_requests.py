"""Calls the example API with a token that is kept until shortly before it expires."""

import os
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

# Seconds before expiry at which the next token is requested: clocks differ and requests take time.
RENEW_BEFORE = 60
TOKEN_URL = os.environ["TOKEN_URL"]

session = requests.Session()
# Waits once for as long as Retry-After of a 429 or 503 says. Each other response is final.
patient = Retry(1, status_forcelist=(429, 503), allowed_methods=None, raise_on_status=False)
session.mount(TOKEN_URL, HTTPAdapter(max_retries=patient))

worker = ThreadPoolExecutor(1)
lock = threading.Lock()
kept: Future | None = None


def request_token() -> tuple[str, float]:
    sent_at = time.monotonic()
    response = session.post(
        TOKEN_URL,
        auth=(os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"]),
        data={"grant_type": "client_credentials", "scope": "messaging:view"},
        timeout=10,
    )
    if not response.ok:
        raise RuntimeError(f"no token: {response.status_code} {response.text}")
    token = response.json()
    return token["access_token"], sent_at + token["expires_in"] - RENEW_BEFORE


def is_usable(token: Future, refused: str | None) -> bool:
    if not token.done():
        return True
    if token.exception():
        return False
    text, renew_at = token.result()
    return text != refused and time.monotonic() < renew_at


def access_token(refused: str | None = None) -> str:
    """Threads that come at once share one request."""
    global kept
    with lock:
        if kept is None or not is_usable(kept, refused):
            kept = worker.submit(request_token)
        coming = kept
    return coming.result()[0]


def call_api(url: str) -> requests.Response:
    """Calls an API with the token, and once more with a new one after 401."""

    def call(token: str) -> requests.Response:
        return requests.get(url, headers={"Authorization": f"Bearer {token}"}, timeout=10)

    token = access_token()
    response = call(token)
    return call(access_token(token)) if response.status_code == 401 else response


if __name__ == "__main__":
    for _ in range(2):
        url = os.environ["EXAMPLE_URL"]
        print(f"GET {url} {call_api(url).status_code}")
