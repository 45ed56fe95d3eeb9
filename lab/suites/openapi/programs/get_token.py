"""Gets a token with the client that openapi-python-client made of the API's description."""

import os

from authorization_server_client import Client
from authorization_server_client.api.tokens import create_token
from authorization_server_client.models import TokenRequest
import httpx

basic = httpx.BasicAuth(os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"])
client = Client(base_url=os.environ["ISSUER"], httpx_args={"auth": basic})
form = TokenRequest(grant_type="client_credentials", scope="messaging:view")
token = create_token.sync(client=client, body=form)
print(token.token_type, token.scope)
