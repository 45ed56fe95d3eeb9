"""An API with Flask that accepts access tokens and API keys.

It asks forward-auth, a process next to it, about each request. There is no proxy.
"""

import os
from functools import wraps

import requests
from flask import Flask, Response, g, request

CHECK_URL = os.environ.get("CHECK_URL", "http://127.0.0.1:9100")
app = Flask(__name__)


def refuse(answer: requests.Response) -> Response:
    """400, 401 or 403 with the challenge of RFC 6750; 503 if there is no decision."""
    names = ("content-type", "www-authenticate", "cache-control", "retry-after")
    headers = {name: answer.headers[name] for name in names if name in answer.headers}
    return Response(answer.content, answer.status_code, headers)


def require_scopes(*scopes: str):
    def wrap(view):
        @wraps(view)
        def verify(*args, **kwargs):
            # WSGI joins two headers with a comma, and the check refuses that.
            headers = {
                "Authorization": request.headers.get("Authorization"),
                "X-Real-IP": request.remote_addr,
            }
            try:
                url = f"{CHECK_URL}/verify/{','.join(scopes)}"
                answer = requests.get(url, headers=headers, timeout=15)
            except requests.RequestException:
                return {"error": "temporarily_unavailable"}, 503
            if answer.status_code != 200:
                return refuse(answer)
            g.caller = {
                "credential": answer.headers["X-Auth-Credential"],
                "client_id": answer.headers["X-Auth-Client-Id"],
                "service_trunk_group": answer.headers["X-Auth-Service-Trunk-Group"],
            }
            return view(*args, **kwargs)

        return verify

    return wrap


@app.get("/messages")
@require_scopes("messaging:view")
def read_messages():
    return g.caller


@app.post("/messages")
@require_scopes("messaging:manage")
def send_message():
    return g.caller


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ.get("PORT", "8000")))
