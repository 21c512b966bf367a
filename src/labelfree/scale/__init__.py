"""Past one process: hands elsewhere.

Work is cut into pieces by `labelfree.workers` wherever it stands; this room says who does them, if not threads and
processes of ours: any executor, or a Dask cluster.
"""

from labelfree.scale.hands import connected, using

__all__ = ["connected", "using"]
