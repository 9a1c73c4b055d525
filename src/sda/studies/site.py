"""The pages as an application: who may see and send what.

Every request is refused unless something here allows it. A judge is known by a cookie that their
link gave them; a form carries a key that only this server can make, for this judge, page and
version; and what came from another site is turned away before it is read.

Longer than other files, so that who may do what stands in one place.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from sda.studies import rating_pages as pages
from sda.studies.credentials import completion_code, form_key, hashed, is_same_key
from sda.studies.limits import Limiter
from sda.studies.one_writer import OneWriter
from sda.studies.owner import owner_rows
from sda.studies.store import Store
from sda.studies.stored import Conflict, JoinLink, JudgeEntry
from sda.studies.study import Slot, Study
from sda.studies.visits import (
    HEADERS,
    NOTICES,
    TOO_FAST,
    Refused,
    number_in,
    outside_name,
    read_form,
    refuse_foreign,
)

COOKIE_DAYS = 180
_SEE_OTHER = 303
_Handler = Callable[[Request], Awaitable[Response]]


class Site:
    """The application of one study; `owner` is the hash of the owner's token."""

    def __init__(self, study: Study, store: Store, owner: str) -> None:
        self._study = study
        self._owner = owner
        with store.transaction():
            self._secret = store.secret()
        self._writer = OneWriter(store)
        self._limiter = Limiter()
        self._fingerprint = study.fingerprint
        self._cookie = f"judge-{self._fingerprint[:8]}"
        self._owner_cookie = f"owner-{self._fingerprint[:8]}"

    def application(self) -> Starlette:
        def route(path: str, handler: _Handler, method: str = "GET") -> Route:
            return Route(path, self._guarded(handler), methods=[method], name=path.split("/")[1])

        @asynccontextmanager
        async def life(_: Starlette) -> AsyncIterator[None]:
            yield
            self._writer.close()

        return Starlette(
            routes=[
                route("/", self._home),
                route("/enter/{token}", self._enter),
                route("/join/{token}", self._welcome),
                route("/join/{token}", self._join, "POST"),
                route("/guide", self._guide),
                route("/rate", self._rate),
                route("/rate", self._receive, "POST"),
                route("/rate/{page:int}", self._rate),
                route("/done", self._done),
                route("/owner/{token}", self._enter_owner),
                route("/owner", self._owner_page),
                route("/rating.css", self._style),
                route("/keys.js", self._script),
            ],
            exception_handlers={Refused: _refused, HTTPException: _not_here, Exception: _failed},
            lifespan=life,
        )

    def _guarded(self, handler: _Handler) -> _Handler:
        async def guarded(request: Request) -> Response:
            # By cookie alone: many people open a join link at the same time.
            name = request.cookies.get(self._cookie)
            if name is not None and not self._limiter.allows(hashed(name), time.monotonic()):
                raise Refused(TOO_FAST)
            return _with_headers(await handler(request))

        return guarded

    # Coming in

    async def _home(self, request: Request) -> Response:
        await self._judge(request)
        return RedirectResponse("/rate", _SEE_OTHER)

    async def _enter(self, request: Request) -> Response:
        token = request.path_params["token"]
        judge = await self._known(token)
        if judge is None:
            raise Refused(404)
        done = await self._writer.run(lambda store: store.versions(judge.number))
        response = RedirectResponse("/rate" if done else "/guide", _SEE_OTHER)
        return self._with_cookie(request, response, self._cookie, token)

    async def _welcome(self, request: Request) -> Response:
        await self._link(request)
        if outside_name(request.query_params) is None and await self._known(
            request.cookies.get(self._cookie, "")
        ):
            return RedirectResponse("/rate", _SEE_OTHER)
        # The parameters of the platform have to come along.
        query = f"?{request.url.query}" if request.url.query else ""
        action = f"{request.url.path}{query}"
        longest = max(map(len, self._study.blocks))
        return HTMLResponse(pages.guide_page(self._study, longest, action))

    async def _join(self, request: Request) -> Response:
        refuse_foreign(request.headers)
        await read_form(request.headers, request.stream())
        link = await self._link(request)
        outside = outside_name(request.query_params)
        blocks = len(self._study.blocks)
        token = await self._writer.run(lambda store: store.join(link, blocks, outside))
        if token is None:
            page = pages.notice_page(
                "No more judges are needed", "This link has had as many judges as it was made for."
            )
            return HTMLResponse(page, 403)
        response = RedirectResponse("/rate", _SEE_OTHER)
        return self._with_cookie(request, response, self._cookie, token)

    async def _link(self, request: Request) -> JoinLink:
        token = request.path_params["token"]
        link = await self._writer.run(lambda store: store.link(token))
        if link is None:
            raise Refused(404)
        return link

    async def _guide(self, request: Request) -> Response:
        judge = await self._judge(request)
        link = str(request.url_for("enter", token=request.cookies[self._cookie]))
        return HTMLResponse(pages.guide_page(self._study, len(self._slots(judge)), own_link=link))

    # Rating

    async def _rate(self, request: Request) -> Response:
        judge = await self._judge(request)
        slots = self._slots(judge)
        versions = await self._writer.run(lambda store: store.versions(judge.number))
        wanted = request.path_params.get("page")
        page = _next_page(slots, versions) if wanted is None else wanted
        if page is None:
            return RedirectResponse("/done", _SEE_OTHER)
        # Nobody reads ahead.
        if not 1 <= page <= (_next_page(slots, versions) or len(slots)):
            raise Refused(404)
        return await self._shown(judge, page, versions)

    async def _shown(
        self,
        judge: JudgeEntry,
        page: int,
        versions: dict[tuple[str, bool], int],
        problem: str = "",
        status: int = 200,
    ) -> Response:
        slots = self._slots(judge)
        slot = slots[page - 1]
        version = versions.get((slot.item, slot.is_repeat), 0)
        given, comment = await self._writer.run(
            lambda store: store.given(judge.number, slot.item, slot.is_repeat)
        )
        key = self._key(judge, page, version)
        form = pages.RatingForm(page, version, key, given, comment, problem)
        item = self._study.by_id[slot.item]
        text = pages.rating_page(self._study, item, form, len(versions), len(slots))
        return HTMLResponse(text, status)

    async def _receive(self, request: Request) -> Response:
        refuse_foreign(request.headers)
        judge = await self._judge(request)
        form = await read_form(request.headers, request.stream())
        slots = self._slots(judge)
        page, version = number_in(form, "page"), number_in(form, "version")
        if not 1 <= page <= len(slots):
            raise Refused(403)
        if not is_same_key(form.get("key", ""), self._key(judge, page, version)):
            raise Refused(403)
        slot = slots[page - 1]
        values = self._answers(form)
        comment = form.get("comment", "").strip()
        if values is None or len(comment) > pages.LONGEST_COMMENT:
            versions = await self._writer.run(lambda store: store.versions(judge.number))
            problem = "Please answer every question with one of the values that stand there."
            if values is not None:
                problem = f"A comment has at most {pages.LONGEST_COMMENT:,} characters."
            return await self._shown(judge, page, versions, problem, 400)

        def keep(store: Store) -> None:
            # Before the first rating, and in one with it.
            store.freeze(self._fingerprint)
            store.rate(judge.number, slot.item, slot.is_repeat, values, comment, version)

        try:
            await self._writer.run(keep)
        except Conflict:
            notice = pages.notice_page(
                "This page was rated before",
                "The form was sent a second time, or from an older copy of the page. The answer"
                " that was kept first still stands; go back to it if you want to change it.",
                "/rate",
            )
            return HTMLResponse(notice, 409)
        return RedirectResponse("/rate", _SEE_OTHER)

    def _answers(self, form: dict[str, str]) -> dict[str, int] | None:
        """The answer to every question; None where one is missing or is none."""
        allowed = {str(value): value for value in self._study.values}
        found = {
            criterion.name: allowed.get(form.get(f"answer-{criterion.name}", ""))
            for criterion in self._study.criteria
        }
        values = {name: value for name, value in found.items() if value is not None}
        return values if len(values) == len(found) else None

    async def _done(self, request: Request) -> Response:
        judge = await self._judge(request)
        slots = self._slots(judge)
        versions = await self._writer.run(lambda store: store.versions(judge.number))
        if _next_page(slots, versions) is not None:
            return RedirectResponse("/rate", _SEE_OTHER)
        code, address = completion_code(self._secret, judge.number), None
        if judge.link is not None:
            token = judge.link
            link = await self._writer.run(lambda store: store.link_by_hash(token))
            if link is not None:
                code, address = link.code or code, link.address
        return HTMLResponse(pages.done_page(self._study, code, address))

    # The owner

    async def _enter_owner(self, request: Request) -> Response:
        token = request.path_params["token"]
        if not is_same_key(hashed(token), self._owner):
            raise Refused(404)
        response = RedirectResponse("/owner", _SEE_OTHER)
        return self._with_cookie(request, response, self._owner_cookie, token)

    async def _owner_page(self, request: Request) -> Response:
        if not is_same_key(hashed(request.cookies.get(self._owner_cookie, "")), self._owner):
            raise Refused(401)
        ratings = await self._writer.run(lambda store: store.all_ratings())
        judges = await self._writer.run(lambda store: store.judges())
        rows = owner_rows(self._study, judges, ratings, self._secret)
        return HTMLResponse(pages.owner_page(self._study, rows, len(self._study.blocks)))

    # Files

    async def _style(self, _: Request) -> Response:
        return _file("rating.css", "text/css")

    async def _script(self, _: Request) -> Response:
        return _file("keys.js", "text/javascript")

    # Who it is

    async def _judge(self, request: Request) -> JudgeEntry:
        judge = await self._known(request.cookies.get(self._cookie, ""))
        if judge is None:
            raise Refused(401)
        return judge

    async def _known(self, token: str) -> JudgeEntry | None:
        """The judge with the token; one who was sent away is refused."""
        judge = await self._writer.run(lambda store: store.judge_by_token(token))
        if judge is not None and judge.is_revoked:
            raise Refused(403)
        return judge

    def _slots(self, judge: JudgeEntry) -> list[Slot]:
        return self._study.block(judge.block)

    def _key(self, judge: JudgeEntry, page: int, version: int) -> str:
        return form_key(self._secret, judge.number, page, version)

    def _with_cookie(self, request: Request, response: Response, name: str, value: str) -> Response:
        response.set_cookie(
            name,
            value,
            max_age=COOKIE_DAYS * 24 * 3600,
            httponly=True,
            secure=request.url.scheme == "https",
            # Strict ones would not come along when a link in a mail is opened.
            samesite="lax",
        )
        return response


def _next_page(slots: list[Slot], versions: dict[tuple[str, bool], int]) -> int | None:
    """The first page that is not rated, from 1 on."""
    pending = (n for n, slot in enumerate(slots, 1) if (slot.item, slot.is_repeat) not in versions)
    return next(pending, None)


def _file(name: str, kind: str) -> Response:
    return Response(pages.static_file(name), media_type=kind)


def _with_headers(response: Response) -> Response:
    for name, value in HEADERS.items():
        response.headers[name] = value
    return response


async def _refused(_: Request, trouble: Exception) -> Response:
    assert isinstance(trouble, Refused)
    return _notice(trouble.status)


async def _not_here(_: Request, trouble: Exception) -> Response:
    """An address or a method that no page has."""
    assert isinstance(trouble, HTTPException)
    return _notice(trouble.status_code)


def _notice(status: int) -> Response:
    title, text = NOTICES.get(status, ("Not possible", "This cannot be done here."))
    is_fast = status == TOO_FAST
    page = pages.notice_page(title, text, "/rate" if is_fast else None)
    headers = {"Retry-After": "2"} if is_fast else None
    return _with_headers(HTMLResponse(page, status, headers))


async def _failed(_: Request, __: Exception) -> Response:
    page = pages.notice_page(
        "Something went wrong", "Your last answer may not have been kept. Please go on.", "/rate"
    )
    return _with_headers(HTMLResponse(page, 500))
