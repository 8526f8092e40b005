"""The command `zonaut`."""

import sys

from ._command import main as run


def main() -> None:
    """Runs the command line of this process and ends it with the exit code."""
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
