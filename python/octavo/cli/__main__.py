"""`python -m octavo.cli`."""

from octavo.cli.main import main

raise SystemExit(main())
