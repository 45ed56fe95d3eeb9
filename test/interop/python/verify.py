"""Verifies tokens with one library. Reads {"token": ...} lines; writes {"ok": ..., "why": ...}."""

import json
import os
import sys
import urllib.request

library, algorithm = sys.argv[1:3]
issuer, audience, jwks_uri = (os.environ[name] for name in ("ISSUER", "AUDIENCE", "JWKS_URI"))


def fetch():
    with urllib.request.urlopen(jwks_uri) as response:
        return json.load(response)


def with_pyjwt():
    import jwt

    client = jwt.PyJWKClient(jwks_uri)

    def verify(token):
        if jwt.get_unverified_header(token).get("typ") != "at+jwt":
            raise ValueError("typ")
        key = client.get_signing_key_from_jwt(token).key
        options = {"require": ["exp", "iat", "iss", "aud", "sub"]}
        jwt.decode(token, key, algorithms=[algorithm], issuer=issuer, audience=audience, options=options)

    return verify


def with_joserfc():
    from joserfc import jwt
    from joserfc.jwk import KeySet

    claims = jwt.JWTClaimsRegistry(
        iss={"essential": True, "value": issuer},
        aud={"essential": True, "value": audience},
        exp={"essential": True},
    )
    state = {}

    def verify(token):
        if "keys" not in state:
            state["keys"] = KeySet.import_key_set(fetch())
        decoded = jwt.decode(token, state["keys"], algorithms=[algorithm])
        if decoded.header.get("typ") != "at+jwt":
            raise ValueError("typ")
        claims.validate(decoded.claims)

    return verify


def with_authlib():
    from authlib.oauth2.rfc9068 import JWTBearerTokenValidator
    from joserfc.jwk import KeySet

    state = {}

    class Validator(JWTBearerTokenValidator):
        def get_jwks(self):
            if "keys" not in state:
                state["keys"] = KeySet.import_key_set(fetch())
            return state["keys"]

    validator = Validator(issuer=issuer, resource_server=audience)

    def verify(token):
        claims = validator.authenticate_token(token)
        if claims is None:
            raise ValueError("the token is not valid")
        validator.validate_token(claims, [], None)

    return verify


def with_python_jose():
    from jose import jwt

    state = {}

    def verify(token):
        if "keys" not in state:
            state["keys"] = fetch()
        if jwt.get_unverified_header(token).get("typ") != "at+jwt":
            raise ValueError("typ")
        jwt.decode(token, state["keys"], algorithms=[algorithm], issuer=issuer, audience=audience)

    return verify


factories = {
    "PyJWT": with_pyjwt,
    "joserfc": with_joserfc,
    "Authlib": with_authlib,
    "python-jose": with_python_jose,
}

verify = None
for line in sys.stdin:
    try:
        verify = verify or factories[library]()
        verify(json.loads(line)["token"])
        answer = {"ok": True}
    except Exception as error:  # Each library has errors of its own.
        answer = {"ok": False, "why": f"{type(error).__name__}: {error}"[:200]}
    print(json.dumps(answer), flush=True)
