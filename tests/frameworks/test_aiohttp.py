"""aiohttp and python-socketio, a server and a client talking over a socket of this machine."""

import asyncio
import inspect
import json

import aiohttp
import engineio
import pytest
import socketio
from aiohttp import web

import ocior

ORDER = {"name": "é中😀", "n": [1, 2.5, None, 10**30]}


def serve(handle, client):
    """Runs `await client(url)` while a server answers POST with `handle`."""

    async def main():
        app = web.Application()
        app.router.add_post("/", handle)
        return await with_server(app, client)

    return asyncio.run(main())


async def with_server(app, client):
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        return await client(f"http://{host}:{port}/")
    finally:
        await runner.cleanup()


def test_server(spies, snippet):
    handle = snippet("aiohttp-server")["handle"]

    async def client(url):
        async with aiohttp.ClientSession() as session, session.post(url, json=ORDER) as response:
            return response.status, response.content_type, await response.text()

    assert serve(handle, client) == (200, "application/json", json.dumps({"order": ORDER}))
    assert spies.loads.results == [ORDER] and spies.dumps.results == [json.dumps({"order": ORDER})]


def test_client(spies, snippet):
    sent = []

    async def handle(request):
        sent.append((request.content_type, await request.text()))
        return web.json_response({"echo": json.loads(sent[-1][1])})

    assert serve(handle, lambda url: snippet("aiohttp-client")["post"](url, ORDER)) == {"echo": ORDER}
    assert sent == [("application/json", json.dumps(ORDER))]
    assert spies.dumps.results == [json.dumps(ORDER)] and spies.loads.results == [{"echo": ORDER}]


@pytest.mark.skipif("json_serialize_bytes" not in inspect.signature(aiohttp.ClientSession).parameters, reason="aiohttp before 3.14")
def test_client_in_bytes(spies, snippet):
    names = snippet("aiohttp-client-bytes", snippet("aiohttp-client"))
    sent = []

    async def handle(request):
        sent.append((request.content_type, await request.read()))
        return web.Response()

    async def client(url):
        async with names["bytes_session"]() as session:
            await session.post(url, json=ORDER)

    serve(handle, client)
    assert sent == [("application/json", spies.dumps_to_bytes.results[0])]
    assert json.loads(sent[0][1]) == ORDER and "é中😀".encode() in sent[0][1]


def test_bad_json_from_a_server(spies, snippet):
    async def handle(request):
        return web.Response(text='{"a": 1,}', content_type="application/json")

    with pytest.raises(json.JSONDecodeError):
        serve(handle, lambda url: snippet("aiohttp-client")["post"](url, ORDER))
    assert spies.loads.arguments == [('{"a": 1,}',)]


def test_socketio(spies, snippet, monkeypatch):
    for packet in (socketio.packet.Packet, engineio.packet.Packet):  # where the module is kept, for the whole process
        monkeypatch.setattr(packet, "json", packet.json)
    server = snippet("socketio", mode="aiohttp")["server"]
    assert socketio.packet.Packet.json is ocior
    got = []

    @server.event
    async def order(session, data):
        got.append(data)
        await server.emit("news", {"é": ORDER}, to=session)
        return {"accepted": ORDER}

    app = web.Application()
    server.attach(app)

    async def client(url):
        client, news = socketio.AsyncClient(json=ocior), asyncio.get_running_loop().create_future()
        client.on("news", news.set_result)
        await client.connect(url, transports=["websocket"])
        try:
            return await client.call("order", ORDER, timeout=10), await asyncio.wait_for(news, 10)
        finally:
            await client.disconnect()

    assert asyncio.run(with_server(app, client)) == ({"accepted": ORDER}, {"é": ORDER})
    assert got == [ORDER]
    assert json.dumps(["order", ORDER], separators=(",", ":")) in spies.dumps.results
    assert ["order", ORDER] in spies.loads.results and [{"accepted": ORDER}] in spies.loads.results
