"""Flask through a provider: what the client gets, what the view gets, and that Flask's own additions are still there."""

import dataclasses
import datetime
import decimal
import json
import uuid

import pytest
from flask import Response, jsonify, request, session
from markupsafe import Markup

MOMENT = datetime.datetime(2024, 2, 29, 12, 30, tzinfo=datetime.timezone.utc)


@dataclasses.dataclass
class Item:
    name: str
    price: decimal.Decimal


@pytest.fixture
def names(spies, snippet):
    names = snippet("flask")
    app = names["app"]
    app.secret_key = "for the cookie"

    @app.get("/item")
    def item():
        return jsonify(name="é中😀", item=Item("tea", decimal.Decimal("2.50")), at=MOMENT, id=uuid.UUID(int=7), html=Markup("<b>"))

    @app.get("/dict")
    def plain_dict():
        return {"b": 1, "a": [1.5, None, True]}

    @app.get("/refused")
    def refused():
        return jsonify(object())

    @app.post("/echo")
    def echo():
        return jsonify(got=request.get_json())

    @app.post("/silent")
    def silent():
        return jsonify(got=request.get_json(silent=True))

    @app.get("/remember")
    def remember():
        session["moment"], session["pair"] = MOMENT, (1, "é")
        return jsonify(True)

    @app.get("/recall")
    def recall():
        return jsonify([session["moment"] == MOMENT, session["pair"] == (1, "é")])

    return names


def test_jsonify_keeps_what_flask_adds(names, spies):
    response = names["app"].test_client().get("/item")
    assert response.mimetype == "application/json" and response.status_code == 200
    text = response.get_data(as_text=True)
    assert text == spies.dumps.results[-1] + "\n"
    assert text.isascii() and list(json.loads(text)) == ["at", "html", "id", "item", "name"]  # ensure_ascii and sort_keys
    assert response.get_json() == {
        "at": "Thu, 29 Feb 2024 12:30:00 GMT",
        "html": "<b>",
        "id": str(uuid.UUID(int=7)),
        "item": {"name": "tea", "price": "2.50"},
        "name": "é中😀",
    }
    assert spies.loads.results[-1] == response.get_json()


@pytest.mark.parametrize(
    "switches, text",
    [
        ({}, '{"a":[1.5,null,true],"b":1}\n'),
        ({"sort_keys": False}, '{"b":1,"a":[1.5,null,true]}\n'),
        ({"compact": False}, '{\n  "a": [\n    1.5,\n    null,\n    true\n  ],\n  "b": 1\n}\n'),
    ],
)
def test_switches_of_the_provider(names, spies, switches, text):
    app = names["app"]
    for name, value in switches.items():
        setattr(app.json, name, value)
    assert app.test_client().get("/dict").get_data(as_text=True) == text == spies.dumps.results[-1] + "\n"


def test_ensure_ascii_off(names):
    app = names["app"]
    app.json.ensure_ascii = False
    assert '"name":"é中😀"' in app.test_client().get("/item").get_data(as_text=True)


def test_a_type_that_nobody_knows(names):
    app = names["app"]
    app.testing = True
    with pytest.raises(TypeError, match="^Object of type object is not JSON serializable$"):
        app.test_client().get("/refused")


def test_request_body(names, spies):
    client = names["app"].test_client()
    for body in ('{"n": [1, 2.5, "é中😀"]}', '{"n": [1, 2.5, "é中😀"]}'.encode(), '"\\ud83d\\ude00"'):
        response = client.post("/echo", data=body, content_type="application/json")
        assert response.get_json() == {"got": json.loads(body)}
        assert {"got": spies.loads.results[-2]} == spies.loads.results[-1]
    assert client.post("/echo", json={"at": MOMENT}).get_json() == {"got": {"at": "Thu, 29 Feb 2024 12:30:00 GMT"}}


@pytest.mark.parametrize("body", ["", "{", '{"a": 1,}', "nul", b'"\xff"'])
def test_bad_json_is_the_clients_fault(names, body):
    client = names["app"].test_client()
    assert client.post("/echo", data=body, content_type="application/json").status_code == 400
    assert client.post("/silent", data=body, content_type="application/json").get_json() == {"got": None}


def test_session_cookie(names, spies):
    client = names["app"].test_client()
    client.get("/remember")
    before = len(spies.loads.results)
    assert client.get("/recall").get_json() == [True, True]
    assert len(spies.loads.results) >= before + 2  # the cookie, then this test's own get_json


def test_bytes_provider(names, spies, snippet):
    app = snippet("flask-bytes", names)["app"]
    response = app.test_client().get("/item")
    assert response.data is not None and response.data == spies.dumps_to_bytes.results[-1]
    assert '"name":"é中😀","item":{"name":"tea","price":"2.50"}'.encode() in response.data
    assert response.mimetype == "application/json" and int(response.headers["Content-Length"]) == len(response.data)
    assert app.test_client().get("/dict").data == b'{"b":1,"a":[1.5,null,true]}'


def test_provider_from_nothing(names, spies, snippet):
    app = names["app"]
    app.json = snippet("flask-plain")["PlainProvider"](app)
    response = app.test_client().get("/dict")
    assert isinstance(response, Response) and response.get_data(as_text=True) == '{"b": 1, "a": [1.5, null, true]}'
    app.testing = True
    with pytest.raises(TypeError, match="^Object of type UUID|^Object of type Item|^Object of type datetime"):
        app.test_client().get("/item")
