"""Types of Python as plans for reading and writing JSON: markers for annotations, compiled nodes, errors, schemas.

No module in here needs the core, so that each can be used and tested without one.
"""
