"""Test session setup: hypothesis profiles, the level under test in the header, and the GC left as each test found it."""

import gc
import os
import signal
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "shared"))  # `import support` from the tests of every room

import ocior

# Their checks then show where two texts differ, as an assertion in a test does.
pytest.register_assert_rewrite("attacks", "loads_values", "places", "policy_values", "rich_values", "roads")

# A run in the background, or under nohup, ignores what some tests send, and so would the processes that they start.
for name, usual in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL), ("SIGTERM", signal.SIG_DFL)):
    if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) is signal.SIG_IGN:
        signal.signal(getattr(signal, name), usual)

try:
    import hypothesis
except ImportError:  # the rest of the suite still runs
    hypothesis = None
    collect_ignore = ["hostile/test_differential.py"]
else:
    quiet = dict(deadline=None, suppress_health_check=list(hypothesis.HealthCheck), derandomize=False, database=None)
    hypothesis.settings.register_profile("default", max_examples=300, **quiet)
    hypothesis.settings.register_profile("quick", max_examples=60, **quiet)
    hypothesis.settings.register_profile("long", max_examples=20_000, **quiet)
    hypothesis.settings.load_profile(os.environ.get("OCIOR_HYPOTHESIS_PROFILE", "default"))


def pytest_collection_finish(session):
    """The many objects of pytest and of the tests themselves are left out of the collections that tests ask for."""
    gc.collect()
    gc.freeze()


def pytest_report_header(config):
    return f"ocior: {ocior.__file__} features: {ocior.get_current_features()}"


@pytest.fixture(autouse=True)
def _same_switches_after_each_test():
    """No test may leave the collector, the recursion limit or the digit limit changed for the next one."""
    collecting = gc.isenabled()
    depth = sys.getrecursionlimit()
    # json, the test runner and the helpers recurse together. What hostile/test_depth.py tries has processes of its own.
    sys.setrecursionlimit(max(depth, 4000))
    digits = sys.get_int_max_str_digits() if hasattr(sys, "get_int_max_str_digits") else None
    yield
    (gc.enable if collecting else gc.disable)()
    sys.setrecursionlimit(depth)
    if digits is not None:
        sys.set_int_max_str_digits(digits)
    ocior.write_utf8_cache(False)
