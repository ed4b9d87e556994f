"""Ray, Dask and Spark, each on a cluster of two workers in this machine. What is not installed is skipped, and so is Spark without Java.

A cluster begins with the first test that needs it, and serves all others.
"""

import importlib
import os
import shutil
import sys

import pytest
from engine_clusters import Dask, Ray, Spark, rows_of

import ocior

# Where the workers find ocior, which need not be installed.
HOME = os.path.dirname(os.path.dirname(os.path.abspath(ocior.__file__)))
PATH = os.pathsep.join([HOME, *filter(None, [os.environ.get("PYTHONPATH")])])


def need(engine, module):
    """A module of an engine, or a skip; a failure where OCIOR_ENGINES says that the engine has been installed."""
    if engine in os.environ.get("OCIOR_ENGINES", "").split():
        return importlib.import_module(module)
    return pytest.importorskip(module, exc_type=ImportError)


@pytest.fixture(scope="session")
def on_ray():
    need("ray", "ray.data")
    ray = need("ray", "ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": PATH}})
    context = ray.data.DataContext.get_current()
    context.execution_options.preserve_order = True
    context.enable_progress_bars = False
    yield Ray()
    ray.shutdown()


@pytest.fixture(scope="session")
def on_dask():
    need("dask", "dask.dataframe")
    distributed = need("dask", "dask.distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, env={"PYTHONPATH": PATH}
        ) as two,
        distributed.Client(two),
    ):
        yield Dask()


@pytest.fixture(scope="session")
def on_spark():
    sql = need("spark", "pyspark.sql")
    if not shutil.which("java") and not os.environ.get("JAVA_HOME"):
        pytest.skip("Spark needs Java")
    os.environ.update(PYSPARK_PYTHON=sys.executable, PYTHONPATH=PATH)
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.log.level": "FATAL",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
    }
    session = sql.SparkSession.builder.master("local[2,4]").config(map=settings).getOrCreate()
    yield Spark(session)
    session.stop()


@pytest.fixture(params=["ray", "dask", "spark"])
def engine(request):
    return request.getfixturevalue(f"on_{request.param}")


@pytest.fixture
def small_samples(monkeypatch):
    """What is sampled are the first lines of a Part, so that errors and keys behind them come up in the workers."""
    monkeypatch.setattr("ocior._engines.reading.SAMPLE_BYTES", 100)


@pytest.fixture
def events(tmp_path):
    """A file of 400 rows."""
    path = tmp_path / "events.jsonl"
    ocior.lines.write(rows_of(400), path)
    return path
