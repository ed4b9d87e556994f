"""`python -m ocior`: the command line of `ocior.tool`."""

from ocior.tool import main

if __name__ == "__main__":
    main()
