"""Verifies an access token with PyJWT."""

import json
import os
import sys

import jwt

# Made once: it keeps the keys, and fetches them again when a token has a key that it lacks.
keys = jwt.PyJWKClient(os.environ["JWKS_URI"], lifespan=300, timeout=5)


def verify(token: str) -> dict:
    key = keys.get_signing_key_from_jwt(token)
    verified = jwt.decode_complete(
        token,
        key,
        algorithms=["RS256"],
        issuer=os.environ["ISSUER"],
        audience=os.environ["AUDIENCE"],
        leeway=10,
        options={"require": ["exp", "iat", "iss", "aud", "sub", "client_id", "scope"]},
    )
    # PyJWT does not look at the type.
    if verified["header"].get("typ", "").lower() != "at+jwt":
        raise jwt.InvalidTokenError("typ is not at+jwt")
    return verified["payload"]


try:
    print(json.dumps(verify(os.environ["ACCESS_TOKEN"])))
except jwt.PyJWKClientConnectionError:
    raise  # Says nothing about the token: answer 503.
except jwt.PyJWTError as error:
    sys.exit(f"refused: {error}")
