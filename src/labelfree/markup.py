"""XML and HTML of strangers, parsed so that nothing in it is fetched, expanded or run."""

from __future__ import annotations

from typing import Any

from labelfree.errors import InputError

_MOST_SHOWN = 200  # characters of what a parser complains of


def parsed_xml(content: bytes, name: str, wanted: str) -> Any:
    """The root of an XML file; `name` begins messages, `wanted` says in them what kind of file was hoped for.

    Examples
    --------
    >>> parsed_xml(b"<a>text</a>", "a.xml", "a PAGE file").text
    'text'
    """
    from lxml import etree

    if b"<!DOCTYPE" in content:  # before the parser sees what it declares
        raise _has_doctype(name, wanted)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, dtd_validation=False, huge_tree=False
    )
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        reason = " ".join(str(error).split())[:_MOST_SHOWN]
        raise InputError(f"{name} is no well-formed XML ({reason}); {wanted} wanted") from None
    if root.getroottree().docinfo.doctype or any(True for _ in root.iter(etree.Entity)):
        raise _has_doctype(name, wanted)
    return root


def parsed_html(content: bytes, name: str) -> Any:
    """The root of an HTML file, or of XHTML, however broken it is; UTF-8 unless it says otherwise.

    Examples
    --------
    >>> parsed_html(b"<p>one<p>two", "a.html").findall(".//p")[1].text
    'two'
    """
    from lxml import etree

    try:
        content.decode("utf-8")
        encoding: str | None = "utf-8"
    except UnicodeDecodeError:
        encoding = None  # what its head declares
    parser = etree.HTMLParser(
        no_network=True, huge_tree=False, encoding=encoding, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        reason = " ".join(str(error).split())[:_MOST_SHOWN]
        raise InputError(f"{name} is no HTML ({reason}); save it again") from None
    if root is None:
        raise InputError(f"{name} holds no element of HTML, text wanted; save it again")
    return root


def _has_doctype(name: str, wanted: str) -> InputError:
    return InputError(f"{name} declares a document type or entities, {wanted} without wanted; remove the DOCTYPE")
