"""A hook of mkdocs: pages of the site that do not lie in docs/, and links as the site needs them.

README.md and its neighbours are read where they are, so that no text stands twice. The page of all public names shows what the
stubs say, which tools/docs_api.py lays out.
"""

import ast
import posixpath
import re
import shutil
from pathlib import Path

from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
STUBS = ROOT / "build/stubs"

# Files in the root of the repository, and what each is called on the site.
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md", "CHANGELOG.md": "changelog.md"}
SOURCES = {page: source for source, page in PAGES.items()}

# The public names of the package, each below the heading where one would look for it.
NAMES = {
    "Reading": ("loads", "load", "JSONDecoder", "JSONDecodeError"),
    "Writing": ("dumps", "dumps_to_bytes", "dump", "JSONEncoder", "Raw"),
    "Types beyond JSON's own": ("Default", "default"),
    "Declared types": ("Decoder", "Encoder", "json_schema", "ValidationError", "Problem"),
    "Parts of documents, and streams of them": ("at", "view", "values", "items", "Feed", "PointerError", "RecordError"),
    "Tables": ("table", "scan", "infer", "Table", "Scan", "Schema"),
    "In annotations and classes": ("Alias", "Limits", "Lax", "Convert", "Rest", "Tag", "Rules", "MISSING", "Missing"),
    "The library itself": ("get_current_features", "write_utf8_cache"),
}
# Names that are json's own objects.
NAMES_OF_JSON = ("detect_encoding",)
# The module of lines, whose names have a heading of their own.
LINES = ("loads", "read", "aread", "Reader", "Feed", "dumps", "dumps_to_bytes", "write", "Writer", "split", "Part")
API = """# API

The public names of `ocior`, with the types that checkers see. Whatever else `json` has, `ocior` has under json's name, such as
`json.codecs`; `detect_encoding` is json's own function. The interfaces of orjson, ujson, ssrjson and msgspec, in `ocior.compat`,
are described in [coming from them](migrating.md).
"""
MODULES = """
## Modules of json

`ocior.decoder`, `ocior.encoder`, `ocior.scanner` and `ocior.tool` stand in the places of `json.decoder`, `json.encoder`, `json.scanner` and
`json.tool`, and have their names. These are ocior's own there.

::: ocior.decoder.scanstring
    options: {show_root_full_path: true}
::: ocior.encoder.encode_basestring
    options: {show_root_full_path: true}
::: ocior.encoder.encode_basestring_ascii
    options: {show_root_full_path: true}
::: ocior.scanner.c_make_scanner
    options: {heading: ocior.scanner.make_scanner, toc_label: make_scanner}
"""

LINK = re.compile(r"\[(?P<text>[^\]\n]*(?:\n[^\]\n]+)?)\]\((?P<target>[^)\s#:]+)(?P<anchor>#[^)\s]*)?\)")
FETCHED = re.compile(r"<(?:script|img|iframe|source|link rel=.(?:stylesheet|preconnect|preload).)[^>]*\b(?:src|href)=.(?:https?:)?//[^>]*>")


@event_priority(100)
def on_config(config):
    """The stubs lie alone in a folder: beside the modules, these would be read instead where they say anything. mkdocstrings looks for
    the folder when its own turn comes."""
    shutil.rmtree(STUBS, ignore_errors=True)
    (STUBS / "ocior").mkdir(parents=True)
    for stub in (*(ROOT / "python/ocior").glob("*.pyi"), *(ROOT / "python/ocior").glob("_*/*.pyi")):
        place = STUBS / stub.relative_to(ROOT / "python")
        place.parent.mkdir(exist_ok=True)
        (place.parent / "__init__.pyi").touch()
        shutil.copy(stub, place)


def public_names(stub):
    """What `__all__` of a stub lists."""
    body = ast.parse((ROOT / "python/ocior" / stub).read_text(encoding="utf-8")).body
    (public,) = (
        ast.literal_eval(line.value) for line in body if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == "__all__"
    )
    return set(public)


def api_page():
    listed = {name for names in NAMES.values() for name in names} | set(NAMES_OF_JSON) | {"lines"}
    differing = (listed ^ public_names("__init__.pyi")) | (set(LINES) ^ public_names("lines.pyi"))
    if differing:
        raise PluginError(f"NAMES and LINES in tools/docs_pages.py and __all__ of the package differ in {sorted(differing)}")
    parts = [API]
    for heading, names in NAMES.items():
        parts += [f"\n## {heading}\n", *(f"::: ocior.{name}" for name in names)]
    parts += ["\n## Lines\n", *(f"::: ocior.lines.{name}\n    options: {{show_root_full_path: true}}" for name in LINES)]
    return "\n".join(parts) + "\n" + MODULES


def on_files(files, config):
    for source, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text(encoding="utf-8")))
    files.append(File.generated(config, "api.md", content=api_page()))
    return files


def on_page_markdown(markdown, page, config, files):
    """A link to a file that the site has leads to its page there; of a link to any other file of the repository the text stays. What a
    session has printed is not coloured as code."""
    folder = "" if page.file.src_uri in SOURCES else "docs"

    def as_on_site(link):
        target = posixpath.normpath(posixpath.join(folder, link["target"]))
        if target in PAGES:
            return f"[{link['text']}]({PAGES[target]}{link['anchor'] or ''})"
        if target.startswith("docs/"):
            return f"[{link['text']}]({target.removeprefix('docs/')}{link['anchor'] or ''})"
        if (ROOT / target).exists():
            return link["text"]
        return link[0]

    return LINK.sub(as_on_site, markdown).replace("```python\n>>> ", "```pycon\n>>> ")


def on_post_page(output, page, config):
    """Who reads the site is not told to anybody else, and needs no network."""
    if fetched := FETCHED.search(output):
        raise PluginError(f"{page.file.src_uri} would fetch from another host: {fetched[0]}")
    return output
