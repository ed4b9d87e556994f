"""Tables: JSON records as columns in the layout of Apache Arrow. The core makes the columns, the files here take arguments, know types by
their names and by the classes of Python, and show tables to people.

A type is handed to the core, and got from it, as a form: a tuple (format, seen, children) of Arrow's format string, what an inferred column
of numbers has seen, and a tuple (name, nullable, form) for each child. A whole table is the form of a struct.
"""
