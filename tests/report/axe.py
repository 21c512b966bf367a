"""axe-core in a page: what keeps people out of it who see, hear or move otherwise."""

import json
from pathlib import Path

import pytest

_FILE = Path(__file__).parents[2] / "build" / "axe" / "package" / "axe.min.js"
has_axe = pytest.mark.skipif(not _FILE.is_file(), reason="axe-core is not there; make axe gets it")
_RUN = "const done = arguments[arguments.length - 1]; axe.run().then(found => done(JSON.stringify(found.violations)))"
SERIOUS = ("serious", "critical")


def serious_faults(browser) -> list[str]:
    """Rules that the page as it is now breaks seriously, each with the elements that do."""
    # The page's own policy lets no script in but its own; one of the browser's tools is not bound by it.
    browser.execute_cdp_cmd("Runtime.evaluate", {"expression": _FILE.read_text("utf-8")})
    return [
        f"{fault['id']}: {', '.join(node['target'][0] for node in fault['nodes'])}"
        for fault in json.loads(browser.execute_async_script(_RUN))
        if fault["impact"] in SERIOUS
    ]
