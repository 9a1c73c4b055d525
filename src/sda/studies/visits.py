"""What may come in: forms of this site, of a bounded size, and nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterable, Mapping
from urllib.parse import parse_qsl, urlsplit

MOST_BYTES = 16 * 1024
MOST_FIELDS = 40
OUTSIDE = {"PROLIFIC_PID": "prolific", "participantId": "connect", "workerId": "mturk"}
"""Parameters of a link by which crowd platforms say who somebody is."""
LONGEST_NAME = 100
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:;"
        " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    # Without any referrer browsers would send forms from nowhere, and these are refused.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
TOO_FAST = 429
NOTICES = {
    400: ("That cannot be read", "The form came in a shape that no page here sends."),
    401: ("A link is needed", "Please open the link that you were given; it leads to your pages."),
    403: ("Not allowed", "This link was withdrawn, or the form is not one of yours."),
    404: ("Not found", "There is nothing here. Please open the link that you were given."),
    413: ("Too long", "That is more than any page here sends; nothing was kept."),
    415: ("That cannot be read", "The form came in a shape that no page here sends."),
    TOO_FAST: ("Too fast", "So many requests cannot come from reading. Wait a moment, then go on."),
}


class Refused(Exception):
    """A request that is turned away with a status of HTTP."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def refuse_foreign(headers: Mapping[str, str]) -> None:
    """Only pages of this site may send forms here."""
    site = headers.get("sec-fetch-site")
    if site not in (None, "same-origin", "none"):
        raise Refused(403)
    origin = headers.get("origin")
    if origin is not None and _place_of(origin) != headers.get("host"):
        raise Refused(403)


def _place_of(address: str) -> str | None:
    try:
        return urlsplit(address).netloc
    except ValueError:
        return None


async def read_form(headers: Mapping[str, str], pieces: AsyncIterable[bytes]) -> dict[str, str]:
    """The fields of a form; what is no form, or more than any page sends, is refused unread."""
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > MOST_BYTES:
        raise Refused(413)
    body = b""
    async for piece in pieces:
        body += piece
        if len(body) > MOST_BYTES:
            raise Refused(413)
    kind = headers.get("content-type", "").partition(";")[0].strip()
    if body and kind != "application/x-www-form-urlencoded":
        raise Refused(415)
    try:
        fields = parse_qsl(
            body.decode(), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS
        )
    except ValueError:
        raise Refused(400) from None
    if any("\0" in value for _, value in fields):
        raise Refused(400)
    return dict(fields)


def number_in(form: dict[str, str], name: str) -> int:
    text = form.get(name, "")
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise Refused(400)
    return int(text)


def outside_name(parameters: Mapping[str, str]) -> str | None:
    """The name under which a platform knows the judge, with that of the platform."""
    for parameter, platform in OUTSIDE.items():
        value = parameters.get(parameter, "")
        if value:
            if len(value) > LONGEST_NAME:
                raise Refused(400)
            return f"{platform}:{value}"
    return None
