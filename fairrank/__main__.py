"""Run fairrank from a shell: ``python -m fairrank --help``."""

import sys

from fairrank._command_line import main

if __name__ == "__main__":
    sys.exit(main())
