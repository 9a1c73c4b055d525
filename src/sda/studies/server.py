"""One server for one study, for as long as it runs."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sda.errors import UserError
from sda.studies.credentials import hashed, new_token
from sda.studies.store import Store
from sda.studies.study import StudyFolder

BACKLOG = 512


@dataclass(frozen=True)
class Address:
    """Where a server listens."""

    host: str
    port: int

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


@dataclass(frozen=True)
class Opened:
    """What the owner of a study has to be told when it is served."""

    address: Address
    owner_link: str
    join_link: str | None
    """None where invitations were made before, whose links are kept nowhere."""


def serve(folder: StudyFolder, host: str, port: int, tell: Callable[[Opened], None]) -> None:
    """The study is served until somebody interrupts; `tell` is called once it is about to be."""
    try:
        import uvicorn

        from sda.studies.site import Site
    except ImportError:
        raise UserError("serving a study needs the extra: pip install 'sda-text[judge]'") from None
    study = folder.study()
    if study.is_imported:
        raise UserError(f"{folder.path}: its ratings were imported, so there is nothing to serve")
    with alone(folder), _listening(host, port) as listener:
        store = Store.of(folder)
        frozen = store.frozen()
        if frozen is not None and frozen != study.fingerprint:
            raise UserError(
                f"{folder.plan}: the plan was changed after the first rating; put the old file"
                " back, or make a new study"
            )
        address = Address(host, listener.getsockname()[1])
        token = new_token()
        join = None
        if not store.has_invitations():
            with store.transaction():
                join = f"{address.url}/join/{store.add_link(len(study.blocks), None, None)}"
        site = Site(study, store, hashed(token))
        tell(Opened(address, f"{address.url}/owner/{token}", join))
        config = uvicorn.Config(
            site.application(),
            # Lines about requests would hold addresses and tokens.
            access_log=False,
            log_level="warning",
            server_header=False,
            proxy_headers=False,
            lifespan="on",
            timeout_graceful_shutdown=5,
        )
        uvicorn.Server(config).run(sockets=[listener])


@contextmanager
def alone(folder: StudyFolder) -> Iterator[None]:
    """No other server has the study; the lock ends with the process, however that ends."""
    from filelock import FileLock, Timeout

    try:
        with FileLock(folder.lock, timeout=0):
            yield
    except Timeout:
        raise UserError(
            f"{folder.path}: another server has this study; end it, or use that one"
        ) from None


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        host.encode("idna")  # a name that is none is told by the socket in other ways
        listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UserError(
            f"{host}:{port}: cannot listen there ({reason}); give another --port"
        ) from None
    with listener:
        yield listener
