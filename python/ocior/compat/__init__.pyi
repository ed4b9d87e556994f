"""ocior under the names, with the arguments and in the ways of other libraries."""
