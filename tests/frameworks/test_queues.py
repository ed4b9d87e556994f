"""kombu (the transport under Celery) and kafka-python: what a message carries."""

import datetime
import decimal
import json
import uuid

import kombu
import kombu.serialization
import pytest

MESSAGE = {
    "name": "é中😀",
    "n": [1, 2.5, None],
    "id": uuid.UUID(int=7),
    "price": decimal.Decimal("2.50"),
    "at": datetime.datetime(2024, 2, 29, 12, 30, tzinfo=datetime.timezone.utc),
}


@pytest.fixture
def registry_as_it_was():
    yield
    kombu.serialization.register_json()


def test_kombu(spies, snippet, json_is_idle, registry_as_it_was):
    snippet("kombu")
    got = []
    with kombu.Connection("memory://") as connection:
        queue = connection.SimpleQueue("orders")
        queue.put(MESSAGE, serializer="json")
        message = queue.get(timeout=5)
        got.append((message.content_type, message.body, message.payload))
        message.ack()
        queue.close()
    [(content_type, body, payload)] = got
    assert content_type == "application/json" and payload == MESSAGE
    assert body in (spies.dumps.results[0], spies.dumps.results[0].encode()) and len(spies.loads.results) == 1


def test_kafka(spies, snippet):
    """Without a broker: the call that a producer and a consumer make with what they were given."""
    settings = snippet("kafka")["settings"]
    value = {"name": "é中😀", "n": [1, 2.5, None]}
    try:
        from kafka.serializer import DeserializeWrapper, SerializeWrapper
    except ImportError:  # before 2.1: the function itself
        sent = settings["value_serializer"](value)
        got = settings["value_deserializer"](sent)
    else:
        sent = SerializeWrapper(settings["value_serializer"]).serialize("orders", [], value)
        got = DeserializeWrapper(settings["value_deserializer"]).deserialize("orders", [], sent)
    assert type(sent) is bytes and sent == json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    assert got == value and len(spies.dumps_to_bytes.results) == len(spies.loads.results) == 1
