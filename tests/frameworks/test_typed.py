"""FastAPI and Litestar with bodies of declared types: the object in the endpoint, and what is wrong in the words of the framework."""

import dataclasses
import json
from typing import Annotated, Literal

import litestar
import litestar.testing
import pytest
from fastapi import Depends, FastAPI
from fastapi.testclient import TestClient
from litestar.di import Provide
from pydantic import BaseModel, ConfigDict, Field

from ocior import Limits, Rules


@dataclasses.dataclass
class Line:
    __ocior__ = Rules(unknown="forbid")
    sku: str
    count: Annotated[int, Limits(gt=0)] = 1


@dataclasses.dataclass
class Order:
    id: int
    kind: Literal["new", "old"]
    lines: list[Line]


class LineModel(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    sku: str
    count: int = Field(default=1, gt=0)


class OrderModel(BaseModel):
    model_config = ConfigDict(strict=True)
    id: int
    kind: Literal["new", "old"]
    lines: list[LineModel]


GOOD = {"id": 7, "kind": "new", "lines": [{"sku": "A-1"}, {"sku": "中", "count": 2}]}
# What is wrong, and for each problem the type, the place and the value that FastAPI tells of; None where pydantic uses another type.
WRONG = [
    ({**GOOD, "id": "7"}, [(None, ["id"], "7")]),
    ({**GOOD, "id": None, "kind": 5}, [(None, ["id"], None), (None, ["kind"], 5)]),
    ({"id": 7, "kind": "new"}, [("missing", ["lines"], {"id": 7, "kind": "new"})]),
    ({**GOOD, "lines": [{"sku": "é", "count": 0}]}, [("greater_than", ["lines", 0, "count"], 0)]),
    ({**GOOD, "lines": [{}, {"sku": "b", "x": "é"}]}, [("missing", ["lines", 0, "sku"], {}), ("extra_forbidden", ["lines", 1, "x"], "é")]),
    ([], [(None, [], [])]),
]


@pytest.fixture
def fastapi_client(snippet):
    body_of = snippet("fastapi-typed")["body_of"]
    app = FastAPI()

    @app.post("/order")
    def order(order: Annotated[Order, Depends(body_of(Order))]) -> str:
        return repr(order)

    @app.post("/model")
    def model(order: OrderModel) -> str:
        return repr(order)

    return TestClient(app)


def test_fastapi_gives_the_object(fastapi_client):
    response = fastapi_client.post("/order", json=GOOD)
    assert response.status_code == 200, response.text
    assert response.json() == repr(Order(7, "new", [Line("A-1"), Line("中", 2)]))


@pytest.mark.parametrize("body, problems", WRONG, ids=lambda value: None)
def test_fastapi_tells_what_is_wrong(fastapi_client, body, problems):
    """At the places, with the values and, where the test says one, with the types that FastAPI itself tells for a model like it."""
    found, expected = (fastapi_client.post(path, json=body) for path in ("/order", "/model"))
    assert found.status_code == expected.status_code == 422
    found, expected = found.json()["detail"], expected.json()["detail"]
    assert [(one["loc"], one["input"]) for one in found] == [(["body", *loc], value) for _, loc, value in problems]
    assert [(one["loc"], one["input"]) for one in found] == [(one["loc"], one["input"]) for one in expected]
    for one, theirs, (code, _, _) in zip(found, expected, problems):
        assert one["msg"] and set(one) == {"type", "loc", "msg", "input"} <= set(theirs)
        assert code is None or one["type"] == theirs["type"] == code


@pytest.mark.parametrize("body", ['{"id": ', "", "[1,]", '{"id": 7} x'])
def test_fastapi_tells_what_is_no_json(fastapi_client, body):
    headers = {"content-type": "application/json"}
    found, expected = (fastapi_client.post(path, content=body, headers=headers) for path in ("/order", "/model"))
    assert found.status_code == expected.status_code == 422
    if body:  # FastAPI calls an empty body a missing one
        assert found.json() == expected.json()


@pytest.mark.parametrize("body, status", [(b"\xff", 400), ("[" * 100_000, 400), ('{"id": NaN}', 422), ('{"id": "\\ud800"}', 422)])
def test_fastapi_answers_whatever_comes(fastapi_client, body, status):
    assert fastapi_client.post("/order", content=body).status_code == status


@pytest.fixture
def litestar_client(snippet):
    body_of = snippet("litestar-typed", {"__name__": __name__})["body_of"]  # Litestar looks for the module

    @litestar.post("/order", dependencies={"order": Provide(body_of(Order))})
    async def order(order: Order) -> str:
        return repr(order)

    @litestar.post("/own")
    async def own(data: Order) -> str:
        return repr(data)

    with litestar.testing.TestClient(litestar.Litestar([order, own])) as client:
        yield client


def test_litestar_gives_the_object(litestar_client):
    response = litestar_client.post("/order", json=GOOD)
    assert response.status_code == 201, response.text
    assert response.text == repr(Order(7, "new", [Line("A-1"), Line("中", 2)]))


@pytest.mark.parametrize(
    "body, keys",
    [
        ({**GOOD, "id": "x"}, ["id"]),
        ({**GOOD, "lines": [{"sku": 1}, {"sku": "b", "count": -1}]}, ["lines[0].sku", "lines[1].count"]),
        ([], [""]),
    ],
)
def test_litestar_tells_what_is_wrong(litestar_client, body, keys):
    """In the form of Litestar, which tells the first problem alone."""
    found, expected = (litestar_client.post(path, json=body) for path in ("/order", "/own"))
    assert found.status_code == expected.status_code == 400
    found, expected = found.json(), expected.json()
    assert found["detail"] == expected["detail"].replace("/own", "/order")
    assert [one["key"] for one in found["extra"]] == keys
    assert all(one["message"] and one["source"] == "body" for one in found["extra"])
    if keys[0]:
        assert expected["extra"][0]["key"] == keys[0] and set(expected["extra"][0]) == set(found["extra"][0])


@pytest.mark.parametrize("body", [b'{"id": ', b"\xff", b"[" * 100_000, json.dumps(GOOD).encode()[:-1]], ids=len)
def test_litestar_tells_what_is_no_json(litestar_client, body):
    found = litestar_client.post("/order", content=body)
    assert found.status_code == 400 and found.json()["detail"].startswith("JSON is malformed"), found.text
