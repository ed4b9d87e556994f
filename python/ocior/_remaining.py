"""The names of a module of `json` that ocior has nothing of its own for."""


def remaining_names(module, own):
    """A dict of the names and values of `module` that `own`, a dict by names, lacks, without its submodules: if someone has imported
    json.tool, it is not our `tool`.

    A module-level __getattr__ would find them as well, but CPython specializes no access to an attribute of a module that has one. Each
    `ocior.loads` would then look into a dict and, without a GIL, count a reference to a function that all threads share.
    """
    return {
        name: value
        for name, value in vars(module).items()
        if name not in own and getattr(value, "__name__", None) != f"{module.__name__}.{name}"
    }
