"""Who may rate: links with 128 random bits, of which only a hash is kept."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets

TOKEN_BYTES = 16
CODE_LETTERS = 8


def new_token() -> str:
    """128 random bits as text for a link."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def hashed(token: str) -> str:
    """What is kept of a token. It has 128 random bits, so a plain hash cannot be turned back."""
    return hashlib.sha256(token.encode()).hexdigest()


def form_key(secret: str, *parts: object) -> str:
    """Proves that this server made the form, for this judge, this item and this version."""
    text = "\0".join(map(str, parts))
    return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()


def is_same_key(first: str, second: str) -> bool:
    """Compared in a time that does not tell where they differ."""
    return hmac.compare_digest(first.encode(), second.encode())


def completion_code(secret: str, judge: int) -> str:
    """What a judge shows to prove that they are done; their own, and no other can guess it."""
    digest = hmac.new(secret.encode(), f"done {judge}".encode(), hashlib.sha256).digest()
    return base64.b32encode(digest).decode()[:CODE_LETTERS]
