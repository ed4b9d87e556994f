"""Records out of streams, and into them: what `ocior.lines` and its neighbours at the top of the package are made of."""
