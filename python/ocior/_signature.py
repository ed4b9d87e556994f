"""What `inspect.signature` says of a class whose constructor is native."""


class SignatureOf:
    """A class attribute `__signature__`: the signature of `like`, and of the keyword-only `more` with their defaults, for the class and
    those derived from it that keep its constructor. Made when asked for: `inspect` takes longer to import than all of ocior."""

    def __init__(self, like, more={}):
        self.like = like
        self.more = more

    def __set_name__(self, owner, name):
        self.owner = owner

    def __get__(self, instance, owner):
        if instance is not None or owner.__init__ is not self.owner.__init__:
            raise AttributeError("__signature__")
        from inspect import Parameter, signature

        known = signature(self.like)
        more = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=default) for name, default in self.more.items() if name not in known.parameters
        ]
        return known.replace(parameters=[*known.parameters.values(), *more])
