"""Measures ocior beside its peers: `python -m ocior.bench` (see `--help`; needs the extra `ocior[bench]`).

What is measured, and how, so that the figures flatter nobody:

* Every call gets an argument that no call had before: strings, bytes and whole object trees are copied outside the
  timer. Nobody profits from a UTF-8 form that an earlier call left in a string, nor pays for one already there.
* All libraries of a row take turns, in rotating order, within one process and one run; the garbage collector is off.
  The time of a library is its best round. Only ratios within one run are compared.
* Freeing the result is CPython's work and outside the timer, for all alike.
* Every result is checked first: decoded values equal those of `json` in value, type and order; encoded text of ocior is
  the very text of `json.dumps` with the same options, that of the peers decodes to the same values.
* In one group all do the same work: compact text against compact text, escaped against escaped. A library that
  has no way to do it has no figure there.
"""
