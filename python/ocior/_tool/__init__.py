"""The rooms behind `ocior.tool`.

`reading` makes Python objects of a file or of standard input, `writing` makes text of them again, on standard output, in a
file, or in place of the input (`replacing`, `signals`); `terminal` knows colours and the progress bar.
"""
