"""An extension of griffe: the docstrings of the stubs, which are plain text for `help()`, as Markdown for the page of the API."""

import html
import re

import griffe

CODE = re.compile(r"(`[^`]*`)")
# Where the description of an argument or attribute begins: at "`name`: ", on a line of its own or behind a sentence.
DESCRIPTION = re.compile(r"(?:^|(?<=\. ))(?=`\w+`: )", re.MULTILINE)


def escape(text):
    """The text, with what Markdown would take for its own outside of `code` escaped."""
    return "".join(
        part if part.startswith("`") else re.sub(r"([*\[])", r"\\\1", html.escape(part, quote=False)) for part in CODE.split(text)
    )


def markdown_of(docstring):
    """Examples become blocks of code, descriptions of arguments a list."""
    parts = []
    for paragraph in re.split(r"\n{2,}", docstring.strip()):
        if paragraph.startswith(">>> "):
            parts.append(f"```pycon\n{paragraph}\n```")
            continue
        before, *descriptions = DESCRIPTION.split(escape(paragraph))
        if before.strip():
            parts.append(before.strip())
        if descriptions:
            parts.append("\n".join("- " + " ".join(description.split()) for description in descriptions))
    return "\n\n".join(parts)


class Stubs(griffe.Extension):
    def on_package(self, *, pkg, **kwargs):
        for name in ("", "lines", "decoder", "encoder", "scanner"):
            self.lay_out(pkg[name] if name else pkg)

    def lay_out(self, owner):
        for name, overloads in owner.overloads.items():
            if overloads:  # griffe has an entry for every function
                self.keep_overloads(owner, name, overloads)
        for member in owner.members.values():
            if member.is_alias:
                continue
            if member.docstring:
                member.docstring.value = markdown_of(member.docstring.value)
            if member.is_class:
                self.lay_out(member)
                self.find_constructor(member, owner)

    def keep_overloads(self, owner, name, overloads):
        """In a stub nothing but overloads stands for the function. Those for checkers that know no TypeForm tell people nothing."""
        told = [
            one
            for one in overloads
            if not any(str(parameter.annotation) in ("type[_T]", "builtins.type[_T]") for parameter in one.parameters)
        ]
        function = told[0]
        function.overloads = told if len(told) > 1 else None
        owner.set_member(name, function)

    def find_constructor(self, cls, module):
        """The arguments of a class are shown from `__init__`; stubs have them in `__new__`, or in a base of their own, too."""
        bases = (module.members.get(getattr(base, "name", None)) for base in cls.bases)
        for place in (cls, *(base for base in bases if base is not None and not base.is_alias)):
            for name in ("__init__", "__new__"):
                if (found := place.members.get(name)) and "__init__" not in cls.members:
                    found.returns = None
                    cls.set_member("__init__", found)
