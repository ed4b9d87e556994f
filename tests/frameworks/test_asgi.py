"""Starlette, FastAPI and Litestar: what goes over the wire through a response class, what an endpoint is given through a route class."""

import dataclasses
import datetime
import json
import uuid

import litestar
import litestar.testing
import pytest
from fastapi import Body
from fastapi.testclient import TestClient as FastAPIClient
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.testclient import TestClient

VALUES = [{"name": "é中😀", "n": [1, 2.5, None, 10**30]}, [], "text", None, {"1": {"deep": [[[]]]}}, "\u2028\x7f\x00"]


@pytest.mark.parametrize("value", VALUES, ids=ascii)
def test_starlette_sends_what_dumps_to_bytes_gave(value, spies, snippet):
    names = snippet("starlette")

    async def endpoint(request):
        return names["OciorResponse"](value, status_code=201)

    response = TestClient(Starlette(routes=[Route("/", endpoint)])).get("/")
    assert response.status_code == 201 and response.headers["content-type"] == "application/json"
    assert response.content == spies.dumps_to_bytes.results[-1] == JSONResponse(value).body
    assert response.json() == value and int(response.headers["content-length"]) == len(response.content)


@pytest.mark.parametrize(
    "value, error",
    [([float("nan")], ValueError), (object(), TypeError), ("\ud800", UnicodeEncodeError)],
    ids=["nan", "object", "surrogate"],
)
def test_starlette_refuses_what_it_refused_before(value, error, snippet):
    names = snippet("starlette")
    for response_class in (names["OciorResponse"], JSONResponse):
        with pytest.raises(error):
            response_class(value)


@dataclasses.dataclass
class Item:
    at: datetime.datetime
    id: uuid.UUID


RICH = {"items": [Item(datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.timezone.utc), uuid.UUID(int=7))], "é": {1.5}}
RICH_TEXT = '{"items":[{"at":"2024-02-29T12:00:00+00:00","id":"00000000-0000-0000-0000-000000000007"}],"é":[1.5]}'


def test_starlette_sends_rich_types(spies, snippet):
    response = snippet("starlette")["OciorResponse"](RICH)
    assert response.body == spies.dumps_to_bytes.results[-1] == RICH_TEXT.encode()


def test_litestar_sends_what_dumps_to_bytes_gave(spies, snippet):
    class Unknown:
        pass

    @litestar.get("/rich")
    async def rich() -> object:
        return RICH

    @litestar.get("/hook", type_encoders={Unknown: lambda value: ["hooked"]})
    async def hook() -> object:
        return Unknown()

    app = snippet("litestar", {"handlers": [rich, hook]})["app"]
    with litestar.testing.TestClient(app) as client:
        response = client.get("/rich")
        assert response.content == spies.dumps_to_bytes.results[-1] == RICH_TEXT.encode()
        assert response.headers["content-type"].startswith("application/json")
        assert client.get("/hook").content == b'["hooked"]'


class Order(BaseModel):
    name: str
    count: int
    due: datetime.date


@pytest.fixture
def client(spies, snippet):
    app = snippet("fastapi", snippet("starlette"))["app"]

    @app.get("/free")
    def free():
        return {"name": "é中😀", "due": datetime.date(2024, 2, 29)}

    @app.post("/order", response_model=Order)
    def order(order: Order):
        return order.model_copy(update={"count": order.count + 1})

    @app.post("/any")
    def anything(value: object = Body()):
        return [value]

    return FastAPIClient(app)


def test_fastapi_response(client, spies):
    response = client.get("/free")
    assert response.content == spies.dumps_to_bytes.results[-1] == '{"name":"é中😀","due":"2024-02-29"}'.encode()


def test_fastapi_request_and_response_model(client, spies):
    response = client.post("/order", json={"name": "é中", "count": 1, "due": "2024-02-29"})
    assert spies.loads.results[-1] == {"name": "é中", "count": 1, "due": "2024-02-29"}
    assert response.content == spies.dumps_to_bytes.results[-1] == '{"name":"é中","count":2,"due":"2024-02-29"}'.encode()


@pytest.mark.parametrize("value", [value for value in VALUES if value is not None], ids=ascii)  # null is no body to FastAPI
def test_fastapi_round_trip(client, spies, value):
    body = json.dumps(value).encode()
    response = client.post("/any", content=body, headers={"content-type": "application/json"})
    assert spies.loads.arguments[-1] == (body,) and spies.loads.results[-1] == value
    assert response.json() == [value]


@pytest.mark.parametrize("body", ["{", '{"a": 1,}', "nul", '"\t"'])
def test_fastapi_answers_422_to_bad_json(client, body):
    response = client.post("/any", content=body, headers={"content-type": "application/json"})
    with pytest.raises(json.JSONDecodeError) as caught:
        json.loads(body)
    [detail] = response.json()["detail"]
    assert response.status_code == 422 and detail["type"] == "json_invalid"
    assert detail["ctx"]["error"] == caught.value.msg and detail["loc"] == ["body", caught.value.pos]
