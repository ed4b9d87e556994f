"""SQLAlchemy, psycopg, redis-py: what lies in the row, what goes over the wire, and what comes back."""

import json
import socketserver
import threading

import psycopg
import pytest
import sqlalchemy
from psycopg.adapt import PyFormat, Transformer
from psycopg.types.json import Json, Jsonb, _JsonDumper, _JsonLoader
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

import ocior

VALUES = [{"name": "é中😀", "n": [1, 2.5, None, 10**30]}, [], "text", True, {"\x00": "\u2028"}]


class Base(DeclarativeBase):
    pass


class Order(Base):
    __tablename__ = "orders"
    id: Mapped[int] = mapped_column(primary_key=True)
    details: Mapped[object] = mapped_column(sqlalchemy.JSON)


@pytest.mark.parametrize("value", VALUES, ids=ascii)
def test_sqlalchemy(spies, snippet, value):
    engine = snippet("sqlalchemy", url="sqlite://")["engine"]
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        session.add(Order(details=value))
        session.commit()
        kind, text = session.execute(sqlalchemy.text("SELECT typeof(details), details FROM orders")).one()
        assert (kind, text) == ("text", json.dumps(value)) and spies.dumps.results == [text]
        session.expire_all()
        assert session.scalars(sqlalchemy.select(Order)).one().details == value
        assert spies.loads.results == [value]


def test_sqlalchemy_finds_inside_the_document(snippet):
    engine = snippet("sqlalchemy", url="sqlite://")["engine"]
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        session.add_all([Order(details={"name": "é", "n": number}) for number in (1, 2)])
        session.commit()
        query = sqlalchemy.select(Order.id).where(Order.details["name"].as_string() == "é", Order.details["n"].as_integer() == 2)
        assert session.scalars(query).all() == [2]


@pytest.fixture
def psycopg_as_it_was(monkeypatch):
    monkeypatch.setattr(_JsonDumper, "_dumps", _JsonDumper._dumps)
    monkeypatch.setattr(_JsonLoader, "_loads", _JsonLoader._loads)


@pytest.mark.parametrize("value", VALUES, ids=ascii)
@pytest.mark.parametrize("wrap, type_name", [(Json, "json"), (Jsonb, "jsonb")])
def test_psycopg(spies, snippet, psycopg_as_it_was, wrap, type_name, value):
    snippet("psycopg")
    transformer = Transformer()
    plain = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    number = psycopg.adapters.types[type_name].oid
    for format_, wire in ((PyFormat.TEXT, psycopg.pq.Format.TEXT), (PyFormat.BINARY, psycopg.pq.Format.BINARY)):
        dumper = transformer.get_dumper(wrap(value), format_)
        sent = bytes(dumper.dump(wrap(value)))
        assert dumper.oid == number and sent in (plain, b"\x01" + plain)  # binary jsonb starts with its version
        assert spies.dumps_to_bytes.results[-1] == plain
        loader = transformer.get_loader(number, wire)
        assert loader.load(sent) == loader.load(bytearray(sent)) == loader.load(memoryview(sent)) == value
    assert spies.loads.results == [value] * 6


def test_psycopg_literal(snippet, psycopg_as_it_was):
    snippet("psycopg")
    assert psycopg.sql.Literal(Jsonb({"it's": "é"})).as_string(None) in ("""'{"it''s":"é"}'::jsonb""", """'{"it''s":"é"}'""")


class RedisHandler(socketserver.StreamRequestHandler):
    """As much of a Redis server as JSON.SET and JSON.GET need: documents are kept as the bytes that came."""

    def handle(self):
        while line := self.rfile.readline():
            words = []
            for _ in range(int(line[1:])):
                words.append(self.rfile.read(int(self.rfile.readline()[1:]) + 2)[:-2])
            self.wfile.write(self.answer(*words))

    protocol = b"2"

    def answer(self, command, *words):
        documents = self.server.documents
        if command == b"JSON.SET":
            documents[words[0]] = words[2]
            return b"+OK\r\n"
        if command == b"JSON.GET":
            found = documents.get(words[0])
            if found is None:
                return b"_\r\n" if self.protocol == b"3" else b"$-1\r\n"
            return b"$%d\r\n%s\r\n" % (len(found), found)
        if command == b"HELLO":
            self.protocol = words[0]
            return b"%%1\r\n$5\r\nproto\r\n:%s\r\n" % words[0]
        return b"+OK\r\n" if command == b"CLIENT" else b"-ERR unknown command\r\n"


@pytest.fixture
def redis_server():
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), RedisHandler) as server:
        server.daemon_threads = True
        server.documents = {}
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("value", VALUES, ids=ascii)
def test_redis(snippet, json_is_idle, redis_server, value):
    documents = snippet("redis", port=redis_server.server_address[1])["documents"]
    documents.client.connection_pool.connection_kwargs["socket_timeout"] = 5  # should the server above lack something
    assert documents.set("order", "$", value)
    assert redis_server.documents == {b"order": ocior.dumps(value).encode()}
    assert documents.get("order") == value
    assert documents.get("nothing") is None
    documents.client.close()
