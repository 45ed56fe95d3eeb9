"""A service behind a proxy that asks forward-auth. It needs no library and verifies nothing itself.

It listens on 127.0.0.1, where only the proxy reaches it: who reaches it directly can claim to be
any caller.
"""

import json
import os
from wsgiref.simple_server import WSGIRequestHandler, make_server


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *args):
        pass


def caller_of(environ):
    return {
        "credential": environ.get("HTTP_X_AUTH_CREDENTIAL", ""),
        "client_id": environ.get("HTTP_X_AUTH_CLIENT_ID", ""),
        "service_trunk_group": environ.get("HTTP_X_AUTH_SERVICE_TRUNK_GROUP", ""),
    }


def service(environ, start_response):
    headers = [("Content-Type", "application/json")]
    if environ["PATH_INFO"] == "/health":
        start_response("200 OK", headers)
        return [b'{"status":"ok"}']
    caller = caller_of(environ)
    # No caller means that the proxy did not ask: a mistake in its configuration, and no access.
    if not caller["credential"]:
        start_response("500 Internal Server Error", headers)
        return [b'{"error":"server_error","error_description":"no verified caller"}']
    start_response("200 OK", headers)
    # A service trunk group is whose data a caller may see.
    return [json.dumps({"language": "python", "caller": caller}).encode()]


if __name__ == "__main__":
    port = int(os.environ.get("PORT", "9000"))
    make_server("127.0.0.1", port, service, handler_class=QuietHandler).serve_forever()
