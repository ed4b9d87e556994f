"""structlog and python-json-logger: the lines that arrive in the log."""

import dataclasses
import datetime
import enum
import io
import json
import logging

import pytest
import structlog


class Colour(enum.Enum):
    RED = "rot"


class Account:
    def __structlog__(self):
        return {"account": 7}


@pytest.fixture(autouse=True)
def structlog_as_it_was():
    yield
    structlog.reset_defaults()


def test_structlog(spies, snippet):
    log_file = io.StringIO()
    structlog.configure(
        processors=[structlog.processors.add_log_level, snippet("structlog")["renderer"]],
        logger_factory=structlog.WriteLoggerFactory(log_file),
    )
    structlog.get_logger().bind(who=Account()).warning("sold é", count=3, colour=Colour.RED)
    line = log_file.getvalue()
    assert line == spies.dumps.results[0] + "\n"
    assert json.loads(line) == {"who": {"account": 7}, "count": 3, "colour": "<Colour.RED: 'rot'>", "event": "sold é", "level": "warning"}
    assert "default" in spies.dumps.keywords[0]


def test_structlog_in_bytes(spies, snippet):
    log_file = io.BytesIO()
    snippet("structlog-bytes", structlog=structlog, ocior=__import__("ocior"), log_file=log_file)
    logger = structlog.get_logger()
    logger.info("sold é中😀", who=Account())
    logger.info("again")
    assert (
        log_file.getvalue().splitlines()
        == spies.dumps_to_bytes.results
        == ['{"who":{"account":7},"event":"sold é中😀","level":"info"}'.encode(), b'{"event":"again","level":"info"}']
    )


@dataclasses.dataclass
class Item:
    name: str


@pytest.mark.parametrize("settings", [{}, {"json_indent": 2}, {"json_ensure_ascii": False}])
def test_python_json_logger(spies, snippet, json_is_idle, settings):
    from pythonjsonlogger.json import JsonFormatter

    formatter = snippet("python-json-logger")["formatter"]
    if settings:
        formatter = JsonFormatter("%(levelname)s %(message)s", json_serializer=spies.dumps, **settings)
    log_file = io.StringIO()
    handler = logging.StreamHandler(log_file)
    handler.setFormatter(formatter)
    logger = logging.Logger("shop")
    logger.addHandler(handler)
    logger.info("sold é", extra={"at": datetime.datetime(2024, 2, 29, 12, 30), "item": Item("tea"), "colour": Colour.RED, "raw": b"x"})
    json_is_idle()
    wanted = {
        "levelname": "INFO",
        "message": "sold é",
        "at": "2024-02-29T12:30:00",
        "item": {"name": "tea"},
        "colour": "rot",
        "raw": "eA==",
    }
    expected = json.dumps(wanted, indent=settings.get("json_indent"), ensure_ascii=settings.get("json_ensure_ascii", True))
    assert log_file.getvalue() == expected + "\n" == spies.dumps.results[0] + "\n"
