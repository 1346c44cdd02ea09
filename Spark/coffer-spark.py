"""For spark-submit, which needs a file: `spark-submit Spark/coffer-spark.py FILE…`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "src"))

from coffer_spark.__main__ import main

sys.exit(main())
