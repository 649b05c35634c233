# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Requests for chat completions, and the answers, as the API of OpenAI has
them."""

from __future__ import annotations

import dataclasses
import math
import secrets
import time
from typing import Any

ROLES = {"system": "system", "developer": "system", "user": "user",
         "assistant": "assistant"}
# Fields that would change the answer, and the values that do not.
UNSUPPORTED = {"n": (None, 1), "tools": (None, []), "functions": (None, []),
               "logprobs": (None, False), "logit_bias": (None, {}),
               "frequency_penalty": (None, 0), "presence_penalty": (None, 0),
               "response_format": (None, {"type": "text"}),
               "modalities": (None, ["text"])}


NAMES = {bool: "true or false", int: "an integer", float: "a number",
         dict: "an object"}


class RequestError(ValueError):
    """A request that cannot be answered, and the field that is wrong."""

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field

    def describe(self) -> dict[str, Any]:
        return make_error(str(self), "invalid_request_error", self.field)


def make_error(message: str, kind: str,
               field: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": field,
                      "code": None}}


@dataclasses.dataclass
class ChatRequest:
    """A request that was checked."""

    messages: list[dict[str, str]]
    stream: bool = False
    include_usage: bool = False
    limit: int | None = None  # tokens to write
    temperature: float = 0.7
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    repeat_penalty: float = 1.0
    seed: int | None = None
    stops: tuple[str, ...] = ()

    @classmethod
    def parse(cls, body: Any) -> ChatRequest:
        """Raises RequestError."""
        if not isinstance(body, dict):
            raise RequestError("expected an object of JSON, got "
                               f"{type(body).__name__}")
        for field, harmless in UNSUPPORTED.items():
            if field in body and body[field] not in harmless:
                raise RequestError(f"expected no {field}, which this server "
                                   f"does not support, got {body[field]!r:.80}",
                                   field)
        options = _take(body, "stream_options", dict, {})
        limit = _take(body, "max_completion_tokens", int, None)
        if limit is None:
            limit = _take(body, "max_tokens", int, None)
        if limit is not None and limit < 1:
            raise RequestError(f"expected max_tokens of 1 or more, got {limit}",
                               "max_tokens")
        return cls(messages=_read_messages(body.get("messages")),
                   stream=_take(body, "stream", bool, False),
                   include_usage=_take(options, "include_usage", bool, False),
                   limit=limit,
                   temperature=_take(body, "temperature", float,
                                     cls.temperature, 0, 100),
                   top_p=_take(body, "top_p", float, cls.top_p, 0, 1),
                   top_k=_take(body, "top_k", int, cls.top_k, 0, 2**31 - 1),
                   min_p=_take(body, "min_p", float, cls.min_p, 0, 1),
                   repeat_penalty=_take(body, "repeat_penalty", float,
                                        cls.repeat_penalty, 0, 100),
                   seed=_read_seed(body),
                   stops=_read_stops(body.get("stop")))


def _take(body: dict[str, Any], field: str, kind: Any, default: Any,
          least: float = -math.inf, most: float = math.inf) -> Any:
    """A value of that type, or the default for null or nothing."""
    value = body.get(field)
    if value is None:
        return default
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if not isinstance(value, kind) or isinstance(value, bool) != (kind is bool):
        raise RequestError(f"expected {field} to be {NAMES[kind]}, got "
                           f"{value!r:.80}", field)
    if kind in (int, float) and not least <= value <= most:
        raise RequestError(f"expected {field} of {least:g} to {most:g}, got "
                           f"{value!r:.80}", field)
    return value


def _read_seed(body: dict[str, Any]) -> int | None:
    seed = _take(body, "seed", int, None)
    return None if seed is None else seed % 2**64


def _read_stops(given: Any) -> tuple[str, ...]:
    stops = [given] if isinstance(given, str) else given or []
    if not (isinstance(stops, list) and len(stops) <= 4
            and all(isinstance(stop, str) and stop for stop in stops)):
        raise RequestError("expected stop to be a text or up to 4 texts, got "
                           f"{given!r:.80}", "stop")
    return tuple(stops)


def _read_messages(given: Any) -> list[dict[str, str]]:
    if not isinstance(given, list) or not given:
        raise RequestError("expected messages to be a list of at least one, "
                           f"got {given!r:.80}", "messages")
    return [_read_message(message, f"messages[{i}]")
            for i, message in enumerate(given)]


def _read_message(given: Any, field: str) -> dict[str, str]:
    if not isinstance(given, dict):
        raise RequestError(f"expected {field} to be an object, got "
                           f"{given!r:.80}", field)
    role = given.get("role")
    if not isinstance(role, str) or role not in ROLES:
        raise RequestError(f"expected the role of {field} to be one of "
                           f"{', '.join(ROLES)}, got {role!r:.80}",
                           f"{field}.role")
    return {"role": ROLES[role],
            "content": _read_content(given.get("content"), field)}


def _read_content(given: Any, field: str) -> str:
    """A text, or a list of parts that are texts."""
    if isinstance(given, str):
        return given
    parts = given if isinstance(given, list) else [None]
    texts = [part.get("text") if isinstance(part, dict)
             and part.get("type") == "text" else None for part in parts]
    if not all(isinstance(text, str) for text in texts):
        raise RequestError(f"expected the content of {field} to be a text or a "
                           f"list of texts, got {given!r:.80}",
                           f"{field}.content")
    return "".join(texts)  # type: ignore[arg-type]


class StopFinder:
    """Cuts a text off before the first of some texts, while it comes."""

    def __init__(self, stops: tuple[str, ...]) -> None:
        self._stops = stops
        self._pending = ""
        self.found = False

    def push(self, text: str) -> str:
        """Returns the text that can be shown by now."""
        self._pending += text
        places = [place for stop in self._stops
                  if (place := self._pending.find(stop)) >= 0]
        if places:
            self.found = True
            shown, self._pending = self._pending[:min(places)], ""
            return shown
        kept = max((size for stop in self._stops
                    for size in range(1, len(stop))
                    if self._pending.endswith(stop[:size])), default=0)
        cut = len(self._pending) - kept
        shown, self._pending = self._pending[:cut], self._pending[cut:]
        return shown

    def finish(self) -> str:
        """Returns the text that was held back."""
        shown, self._pending = self._pending, ""
        return shown


class Answer:
    """The objects in which an answer goes out."""

    def __init__(self, model: str) -> None:
        self._common = {"id": f"chatcmpl-{secrets.token_hex(12)}",
                        "created": int(time.time()), "model": model}

    def whole(self, text: str, finish: str,
              usage: dict[str, int]) -> dict[str, Any]:
        choice = {"index": 0, "finish_reason": finish, "logprobs": None,
                  "message": {"role": "assistant", "content": text,
                              "refusal": None}}
        return {**self._common, "object": "chat.completion",
                "choices": [choice], "usage": usage}

    def chunk(self, delta: dict[str, str],
              finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish,
                  "logprobs": None}
        return {**self._common, "object": "chat.completion.chunk",
                "choices": [choice]}

    def usage_chunk(self, usage: dict[str, int]) -> dict[str, Any]:
        return {**self._common, "object": "chat.completion.chunk",
                "choices": [], "usage": usage}


def make_usage(prompt: int, written: int) -> dict[str, int]:
    return {"prompt_tokens": prompt, "completion_tokens": written,
            "total_tokens": prompt + written}
