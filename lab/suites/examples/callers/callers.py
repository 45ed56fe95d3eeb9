"""Calls an API with a Python example: as many times at once as each line says."""

import json
import os
import pathlib
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

folder, name = pathlib.Path(sys.argv[1]).parent, pathlib.Path(sys.argv[1]).stem
sys.path.insert(0, str(folder))
example = __import__(name)


def call(start):
    start.wait()
    return example.call_api(os.environ["EXAMPLE_URL"]).status_code


for line in sys.stdin:
    count = json.loads(line)["count"]
    start = threading.Barrier(count)
    with ThreadPoolExecutor(count) as threads:
        calls = [threads.submit(call, start) for _ in range(count)]
    wrong = [str(each.exception() or each.result()) for each in calls if each.exception() or each.result() != 200]
    print(json.dumps({"ok": not wrong, "why": wrong[0] if wrong else None}), flush=True)
