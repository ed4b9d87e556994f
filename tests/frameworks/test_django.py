"""Django: JsonResponse through the whole stack of a request, a JSONField's row in SQLite, DjangoJSONEncoder on its own."""

import datetime
import decimal
import json
import sys
import types
import uuid

import django
import pytest
from django.conf import settings

import ocior

ORDER = {
    "name": "é中😀",
    "n": [1, 2.5, None],
    "at": datetime.datetime(2024, 2, 29, 12, 30, 0, 123456, datetime.timezone.utc),
    "on": datetime.date(2024, 2, 29),
    "for": datetime.timedelta(hours=1),
    "price": decimal.Decimal("2.50"),
    "id": uuid.UUID(int=7),
}


@pytest.fixture(scope="module", autouse=True)
def configured():
    settings.configure(
        ALLOWED_HOSTS=["testserver"],
        ROOT_URLCONF="ocior_shop_urls",
        SECRET_KEY="for the tests",
        USE_TZ=True,
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    )
    django.setup()


def test_response(snippet, json_is_idle, monkeypatch):
    from django.test import Client
    from django.urls import path

    names = snippet("django", price_list=lambda: ORDER, __name__="shop.views")
    monkeypatch.setitem(sys.modules, "ocior_shop_urls", types.SimpleNamespace(urlpatterns=[path("prices", names["prices"])]))
    response = Client().get("/prices")
    assert response.status_code == 200 and response["Content-Type"] == "application/json"
    json_is_idle()
    assert response.content.decode() == json.dumps(ORDER, cls=names["DjangoJSONEncoder"])
    assert issubclass(names["OciorEncoder"], ocior.JSONEncoder)


def test_field(snippet, monkeypatch):
    from django.db import connection, models

    names = snippet("django", price_list=None)
    # A model belongs to an app by its module; this one has none.
    monkeypatch.setattr(models.base.apps, "get_containing_app_config", lambda module: types.SimpleNamespace(label="shop"))
    Order = snippet("django-model", names, __name__="shop.models")["Order"]
    with connection.schema_editor() as editor:
        editor.create_model(Order)
    with monkeypatch.context() as patch:
        for name, owner in (("encode", json.JSONEncoder), ("decode", json.JSONDecoder)):
            patch.setattr(owner, name, None)
        Order.objects.create(details=ORDER)
        [order] = Order.objects.all()
    assert Order.objects.filter(details__name="é中😀", details__n__1=2.5).count() == 1  # the query's own values go through json
    text = json.dumps(ORDER, cls=names["DjangoJSONEncoder"])
    assert order.details == json.loads(text)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT typeof(details), details FROM {Order._meta.db_table}")
        assert cursor.fetchall() == [("text", text)]


def test_encoder_of_django(snippet, json_is_idle):
    from django.core.serializers.json import DjangoJSONEncoder

    text = snippet("django-dumps", ocior=ocior, DjangoJSONEncoder=DjangoJSONEncoder, order=ORDER)["text"]
    compact = ocior.dumps_to_bytes(ORDER, cls=DjangoJSONEncoder)
    with pytest.raises(TypeError, match="^Object of type object is not JSON serializable$"):
        ocior.dumps(object(), cls=DjangoJSONEncoder)
    json_is_idle()
    assert text == json.dumps(ORDER, cls=DjangoJSONEncoder)
    assert compact.decode() == json.dumps(ORDER, cls=DjangoJSONEncoder, ensure_ascii=False, separators=(",", ":"))


def test_rich_encoder(snippet, json_is_idle):
    from django.core.serializers.json import DjangoJSONEncoder
    from django.http import JsonResponse
    from django.utils.functional import lazystr

    encoder = snippet("django-rich", ocior=ocior, DjangoJSONEncoder=DjangoJSONEncoder)["RichEncoder"]
    response = JsonResponse({**ORDER, "label": lazystr("lazy")}, encoder=encoder)
    json_is_idle()
    expected = {**json.loads(json.dumps(ORDER, cls=DjangoJSONEncoder)), "at": "2024-02-29T12:30:00.123456Z", "for": "PT1H", "label": "lazy"}
    assert json.loads(response.content) == expected
