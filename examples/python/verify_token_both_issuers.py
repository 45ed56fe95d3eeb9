"""Accepts tokens of Amazon Cognito and of this service with PyJWT, while callers move.

When the last one has moved, delete what is about Cognito.
"""

import json
import os
import sys

import jwt

# https://cognito-idp.us-west-2.amazonaws.com/us-west-2_EXAMPLE1
cognito_issuer = os.environ["COGNITO_ISSUER"]
own_issuer = os.environ["ISSUER"]
# One of these is enough, as for an authorizer of a user pool.
any_of = set(os.environ["ANY_OF"].split())

# Made once: each keeps its keys, and fetches them again when a token has a key that it lacks.
keys = {
    own_issuer: jwt.PyJWKClient(os.environ["JWKS_URI"], lifespan=300, timeout=5),
    cognito_issuer: jwt.PyJWKClient(f"{cognito_issuer}/.well-known/jwks.json", timeout=5),
}


def verify(token: str) -> dict:
    # Only says whose keys to take: the signature and the issuer are checked below.
    issuer = jwt.decode(token, options={"verify_signature": False}).get("iss")
    if issuer not in keys:
        raise jwt.InvalidIssuerError("iss is of neither issuer")
    is_own = issuer == own_issuer
    verified = jwt.decode_complete(
        token,
        keys[issuer].get_signing_key_from_jwt(token),
        algorithms=["RS256"],
        issuer=issuer,
        # Cognito's access tokens have no aud: the scopes say for which API they are.
        audience=os.environ["AUDIENCE"] if is_own else None,
        leeway=10,
        options={"require": ["exp", "iss", "client_id", "scope"] + (["aud"] if is_own else [])},
    )
    claims = verified["payload"]
    if is_own and verified["header"].get("typ", "").lower() != "at+jwt":
        raise jwt.InvalidTokenError("typ is not at+jwt")
    # An id token of a user has the same issuer and keys.
    if not is_own and claims.get("token_use") != "access":
        raise jwt.InvalidTokenError("token_use is not access")
    return claims


try:
    claims = verify(os.environ["ACCESS_TOKEN"])
    scopes = [scope for scope in claims["scope"].split() if scope in any_of]
    if not scopes:
        raise jwt.InvalidTokenError("insufficient scope")
    print(json.dumps({"client_id": claims["client_id"], "scopes": scopes}))
except jwt.PyJWKClientConnectionError:
    raise  # Says nothing about the token: answer 503.
except jwt.PyJWTError as error:
    sys.exit(f"refused: {error}")
