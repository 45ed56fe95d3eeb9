"""An API with FastAPI that accepts access tokens and API keys.

It asks forward-auth, a process next to it, about each request. There is no proxy.
"""

import os

import httpx
import uvicorn
from fastapi import Depends, FastAPI, Request, Response

CHECK_URL = os.environ.get("CHECK_URL", "http://127.0.0.1:9100")
check = httpx.AsyncClient(base_url=CHECK_URL, timeout=15)
app = FastAPI()


class NotAccepted(Exception):
    def __init__(self, answer: httpx.Response):
        self.answer = answer


@app.exception_handler(NotAccepted)
async def refuse(_: Request, error: NotAccepted) -> Response:
    """400, 401 or 403 with the challenge of RFC 6750; 503 if there is no decision."""
    names = ("content-type", "www-authenticate", "cache-control", "retry-after")
    headers = {name: error.answer.headers[name] for name in names if name in error.answer.headers}
    return Response(error.answer.content, error.answer.status_code, headers)


def require_scopes(*scopes: str):
    async def verify(request: Request) -> dict:
        # Each header that came, because a second one is a reason to refuse.
        headers = [("Authorization", value) for value in request.headers.getlist("authorization")]
        if request.client:
            headers.append(("X-Real-IP", request.client.host))
        try:
            answer = await check.get("/verify/" + ",".join(scopes), headers=headers)
        except httpx.HTTPError:
            answer = httpx.Response(503, json={"error": "temporarily_unavailable"})
        if answer.status_code != 200:
            raise NotAccepted(answer)
        return {
            "credential": answer.headers["x-auth-credential"],
            "client_id": answer.headers["x-auth-client-id"],
            "service_trunk_group": answer.headers["x-auth-service-trunk-group"],
        }

    return Depends(verify)


@app.get("/messages")
async def read_messages(caller: dict = require_scopes("messaging:view")) -> dict:
    return caller


@app.post("/messages")
async def send_message(caller: dict = require_scopes("messaging:manage")) -> dict:
    return caller


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(os.environ.get("PORT", "8000")))
