"""Verifies tokens with one library. Reads {"token": ...} lines; writes {"ok": ..., "why": ...}.

`later` in a line moves the clock ahead, so that the library's cache times pass at once. `jwks` is for
the libraries that fetch none.
"""

import base64
import json
import os
import sys
import time

library, algorithm = sys.argv[1:3]
issuer, audience, jwks_uri = (os.environ[name] for name in ("ISSUER", "AUDIENCE", "JWKS_URI"))


def decode_base64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def check_type(typ):
    if typ != "at+jwt":
        raise ValueError(f"typ {typ}")


def with_pyjwt():
    import jwt

    client = jwt.PyJWKClient(jwks_uri)
    options = {"require": ["exp", "iat", "iss", "aud", "sub"]}

    def verify(token, jwks):
        check_type(jwt.get_unverified_header(token).get("typ"))
        key = client.get_signing_key_from_jwt(token).key
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

    def verify(token, jwks):
        decoded = jwt.decode(token, KeySet.import_key_set(jwks), algorithms=[algorithm])
        check_type(decoded.header.get("typ"))
        claims.validate(decoded.claims)

    return verify


def with_authlib():
    from authlib.oauth2.rfc9068 import JWTBearerTokenValidator
    from joserfc.jwk import KeySet

    class Validator(JWTBearerTokenValidator):
        def get_jwks(self):
            return KeySet.import_key_set(self.jwks)

    validator = Validator(issuer=issuer, resource_server=audience)

    def verify(token, jwks):
        validator.jwks = jwks
        claims = validator.authenticate_token(token)
        if claims is None:
            raise ValueError("the token is not valid")
        validator.validate_token(claims, [], None)

    return verify


def with_python_jose():
    from jose import jwt

    def verify(token, jwks):
        check_type(jwt.get_unverified_header(token).get("typ"))
        jwt.decode(token, jwks, algorithms=[algorithm], issuer=issuer, audience=audience)

    return verify


def with_simplejwt():
    import django
    from django.conf import settings

    settings.configure(
        SECRET_KEY="of no token",
        INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes"],
        SIMPLE_JWT={
            "ALGORITHM": algorithm,
            "JWK_URL": jwks_uri,
            "AUDIENCE": audience,
            "ISSUER": issuer,
            "USER_ID_CLAIM": "sub",
            "TOKEN_TYPE_CLAIM": None,
        },
    )
    django.setup()
    from rest_framework_simplejwt.authentication import JWTStatelessUserAuthentication

    authentication = JWTStatelessUserAuthentication()

    def verify(token, jwks):
        check_type(json.loads(decode_base64url(token.split(".")[0])).get("typ"))
        validated = authentication.get_validated_token(token.encode())
        authentication.get_user(validated)

    return verify


factories = {
    "djangorestframework-simplejwt": with_simplejwt,
    "PyJWT": with_pyjwt,
    "joserfc": with_joserfc,
    "Authlib": with_authlib,
    "python-jose": with_python_jose,
}

later = 0


def move_clock(name):
    real = getattr(time, name)
    setattr(time, name, lambda: real() + later)


# Before a library imports them by name.
move_clock("time")
move_clock("monotonic")
verify = factories[library]()
for line in sys.stdin:
    request = json.loads(line)
    later = request.get("later", 0)
    try:
        verify(request["token"], json.loads(request["jwks"]))
        answer = {"ok": True}
    except Exception as error:  # Each library has errors of its own.
        answer = {"ok": False, "why": f"{type(error).__name__}: {error}"[:200]}
    print(json.dumps(answer), flush=True)
