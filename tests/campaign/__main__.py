"""`python -m tests.campaign`: attack everything for some minutes, and tell what broke."""

from __future__ import annotations

import os
import sys
from pathlib import Path

# One thread: the models are tiny, and other processes want the cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ["HF_HUB_OFFLINE"] = "1"
# The small runs that tests use are found as tests find them.
sys.path.insert(0, str(Path(__file__).parent.parent))

from .program import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
