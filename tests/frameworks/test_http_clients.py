"""requests and httpx, against a small server that sends back what it got."""

import http.server
import json
import threading

import httpx
import pytest
import requests

ORDER = {"name": "é中😀", "n": [1, 2.5, None]}


class Echo(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((self.headers["Content-Type"], body))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        server.got, server.url = [], f"http://127.0.0.1:{server.server_port}/"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


class RequestsSession(requests.Session):
    def post(self, url, content, headers):  # the name that the page speaks of
        return super().post(url, data=content, headers=headers)


@pytest.mark.parametrize("make_client", [httpx.Client, RequestsSession])
def test_at_the_call(server, spies, snippet, make_client):
    with make_client() as client:
        assert snippet("http-clients")["post"](client, server.url, ORDER) == ORDER
    assert server.got == [("application/json", '{"name":"é中😀","n":[1,2.5,null]}'.encode())]
    assert spies.dumps_to_bytes.arguments == [(ORDER,)] and spies.loads.results == [ORDER]


def test_the_name_that_requests_looks_up(server, spies, snippet, monkeypatch):
    monkeypatch.setattr(requests.models, "complexjson", requests.models.complexjson)
    snippet("requests")
    assert requests.post(server.url, json=ORDER).json() == ORDER
    assert server.got == [("application/json", json.dumps(ORDER).encode())]
    assert spies.dumps.results == [json.dumps(ORDER)] and spies.loads.results == [ORDER]
    with pytest.raises(requests.exceptions.InvalidJSONError):
        requests.post(server.url, json=[float("nan")])
    with pytest.raises(requests.exceptions.JSONDecodeError, match="Expecting value: line 1 column 2"):
        requests.post(server.url, data="[x]").json()
