"""`python -m anabranch study FILE --dask ADDRESS`: a study on a cluster of Dask, with the command's folders."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import Error, Study


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m anabranch", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    study = commands.add_parser("study", help="run a study file, judge it and write the report")
    study.add_argument("file", type=Path, help="the study file; its scenarios are looked for beside it")
    study.add_argument("--dask", metavar="ADDRESS", help="of a scheduler, such as tcp://node1:8786; without it, here")
    size = study.add_mutually_exclusive_group()
    size.add_argument("--quick", dest="size", action="store_const", const="quick", default="default")
    size.add_argument("--full", dest="size", action="store_const", const="full")
    study.add_argument("--seeds", type=int, help="seeds of long runs, instead of the size's")
    study.add_argument("--only", metavar="ID", help="only this experiment")
    study.add_argument("--no-columns", action="store_true", help="leave out the columns that the file asks for")
    study.add_argument("--out", type=Path, default=Path("out"), help="where studies/ and report/ are written")
    study.add_argument("--store", type=Path, help="where runs are kept, instead of store/ in that folder")
    arguments = parser.parse_args()
    try:
        return run(arguments)
    except (Error, OSError) as why:
        print(f"anabranch: {why}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("anabranch: interrupted; the same command goes on from here", file=sys.stderr)
        return 130


def run(arguments: argparse.Namespace) -> int:
    study = Study.from_file(arguments.file)
    client = None
    if arguments.dask:
        from distributed import Client

        client = Client(arguments.dask)
    try:
        study.run(
            size=arguments.size,
            seeds=arguments.seeds,
            only=arguments.only,
            columns=not arguments.no_columns,
            executor=client and client.get_executor(),
            store=arguments.store or arguments.out / "store",
        )
    finally:
        if client:
            client.close()
    print(f"Report: {study.report(arguments.out)}")
    failed = [row["row"] for row in study.rows.rows() if row["verdict"] == "failed"]
    for row in failed:
        print(f"anabranch: {row} failed", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
