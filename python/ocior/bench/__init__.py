"""Measures ocior beside its peers: `python -m ocior.bench` (see `--help`, and docs/measuring.md for what and how).

    options    the command line          plan        documents x groups x conditions -> jobs
    documents, shapes, items, words      what is decoded and encoded, from files or generated
    rich_types, rich_items               documents of Python objects that JSON has no form for
    typed_types, typed_items,
    typed_classes, typed_hand            JSON that is to become objects of declared types, and the code that does it by hand
    stream_records, stream_items         records, one on each line, in memory, in files and in chunks
    groups, libraries, rich_calls,
    typed_calls, stream_calls            the kinds of work, and each library's call for them
    conditions, timing                   how one round is timed
    runner, isolation                    one cell, in a process of its own
    memory, peak, after, memory_sizes    what is measured besides time, and what work with the results costs
    measuring, progress, results         all cells, the file they go to
    summary, compare                     figures of cells
    tables -> terminal, markdown         the report as text
    charts, page, assets/                the report as a page

So that the figures flatter nobody: arguments are fresh for every call, libraries take turns in one process, results are checked
before they are timed, the spread of all rounds is kept, and what ocior loses is marked wherever it is shown.
"""
