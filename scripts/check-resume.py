#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tells whether training that is killed and resumed ends in the same bits.

usage: check-resume.py [--kills=20] [--steps=2000] [--every=7] [--seed=N]
       check-resume.py --forget ...    leaves the loader out of the snapshots

A process trains a network (dropout, Adam, batches in a shuffled order) and saves
a snapshot every few steps. It is killed by SIGKILL at a random moment, and
another one goes on from the snapshot, until there were so many kills. Training
that comes to its end meanwhile begins anew. Each end is compared with that of
training without a kill: all states, the position of the loader, and the loss of
each step. The package hamkaas is in build/python (PYTHONPATH), or installed.

Exit status 1 if anything differs, as it does with --forget.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

BATCH, INPUTS, WIDTH, CLASSES, ITEMS = 64, 64, 256, 5, 1000
SNAPSHOT, RESULT = "snapshot.safetensors", "result.json"
# Of the kills, those that may strike before the first step.
EARLY_SHARE = 0.2

#===------------------------------------------------------------------------===#
# The process that trains
#===------------------------------------------------------------------------===#


def make_model():
    import hamkaas as hk
    import numpy as np
    rng = np.random.default_rng(3)
    x = hk.input("x", [BATCH, INPUTS])
    labels = hk.input("labels", [BATCH], "int64")
    generator = hk.random.Generator(seed=11)
    h, width = x, INPUTS
    for i, size in enumerate((WIDTH, WIDTH, CLASSES)):
        if i:
            h = hk.nn.dropout(h.relu(), 0.3, generator=generator)
        w = rng.normal(0, (2 / width)**0.5, (width, size))
        h = h @ hk.state([width, size], f"w{i}", initial=w) + \
            hk.state([size], f"b{i}")
        width = size
    loss = hk.nn.cross_entropy(h, labels)
    return hk.compile({"train_step": hk.train_step(loss, hk.optim.Adam(1e-3))})


def make_loader():
    import numpy as np
    from hamkaas import data
    rng = np.random.default_rng(4)
    x = rng.normal(size=(ITEMS, INPUTS)).astype("float32")
    labels = (x @ rng.normal(size=(INPUTS, CLASSES))).argmax(axis=1)
    return data.DataLoader(data.ArrayDataset(x, labels), BATCH, shuffle=True,
                           seed=5)


def describe(model, loader, losses):
    """All that must be the same."""
    import hamkaas as hk
    arrays = {**dict(model.state), "the losses": losses,
              "the position": loader.position}
    return {name: hk.digest(array) for name, array in arrays.items()}


def train(folder, steps, every, forgets):
    import numpy as np
    model, loader = make_model(), make_loader()
    saved = None if forgets else loader
    losses, done = np.zeros(steps, "float32"), np.zeros([], "int64")
    snapshot, extra = folder / SNAPSHOT, {"losses": losses, "done": done}
    if snapshot.exists():
        model.state.load(snapshot, loader=saved, extra=extra)
    while done < steps:
        for x, labels in loader:
            print(int(done), flush=True)
            batch = {"x": x, "labels": labels}
            losses[done] = model.train_step.run(batch)["loss"]
            done += 1
            if done % every == 0:
                model.state.save(snapshot, loader=saved, extra=extra)
            if done == steps:
                break
    result = {"digests": describe(model, loader, losses),
              "losses": [float(losses[0]), float(losses[-1])]}
    written = folder / (RESULT + ".new")
    written.write_text(json.dumps(result))
    written.rename(folder / RESULT)


#===------------------------------------------------------------------------===#
# The one that kills
#===------------------------------------------------------------------------===#


def start(folder, options):
    command = [sys.executable, __file__, f"--train={folder}",
               f"--steps={options.steps}", f"--every={options.every}",
               *["--forget"] * options.forget]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def finish(process):
    """The last step that the process named; fails if it did."""
    steps = process.stdout.read().split()
    process.stdout.close()
    if process.wait() != 0:
        sys.exit(f"check-resume.py: training ended with {process.returncode}")
    return int(steps[-1]) if steps else None


def train_without_kill(folder, options):
    """The result, and the seconds from the first step on."""
    process = start(folder, options)
    process.stdout.readline()
    begin = time.monotonic()
    finish(process)
    seconds = time.monotonic() - begin
    return json.loads((folder / RESULT).read_text()), seconds


def kill_at_random(process, seconds, options, rng):
    """Whether the process was still there, and the step it was at."""
    is_early = rng.random() < EARLY_SHARE and not options.forget
    if not is_early:
        for _ in range(options.every + 1 if options.forget else 1):
            process.stdout.readline()
    try:
        process.wait(rng.uniform(0, 2 if is_early else seconds))
    except subprocess.TimeoutExpired:
        process.kill()
    output = process.stdout.read().split(b"\n")
    process.stdout.close()
    # The text behind the last line break may be cut.
    step = int(output[-2]) if len(output) > 1 else None
    return process.wait() == -9, step


def train_with_kills(root, options, expected, seconds):
    rng = random.Random(options.seed)
    kills, ends, steps, leftovers = 0, 0, [], 0
    while kills < options.kills or ends == 0:
        folder = root / f"killed{ends}"
        folder.mkdir()
        while not (folder / RESULT).exists():
            process = start(folder, options)
            if kills < options.kills:
                # Of the whole training, each is to take a share.
                share = 2 * seconds / min(options.kills, 8)
                was_killed, step = kill_at_random(process, share, options,
                                                  rng)
                kills += was_killed
                steps += [step] if was_killed and step is not None else []
                if not was_killed and process.returncode != 0:
                    sys.exit("check-resume.py: resumed training ended with "
                             f"{process.returncode}")
            else:
                finish(process)
        leftovers += len(list(folder.glob("*.tmp")))
        result = json.loads((folder / RESULT).read_text())
        differ = [name for name in expected["digests"]
                  if result["digests"].get(name) != expected["digests"][name]]
        if differ or result != expected:
            sys.exit(f"check-resume.py: after {kills} kills, different: "
                     f"{', '.join(differ) or 'the names of the states'}")
        ends += 1
    return kills, ends, steps, leftovers


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--every", type=int, default=7)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--forget", action="store_true")
    parser.add_argument("--train", type=pathlib.Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.train:
        train(options.train, options.steps, options.every, options.forget)
        return
    if options.seed is None:
        options.seed = int.from_bytes(os.urandom(4), "little")
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        (root / "whole").mkdir()
        expected, seconds = train_without_kill(root / "whole", options)
        kills, ends, steps, leftovers = train_with_kills(
            root, options, expected, seconds)
    first, last = expected["losses"]
    print(f"{options.steps} steps in {seconds:.1f} s, loss {first:.3f} to "
          f"{last:.3f}")
    print(f"{kills} kills at steps {sorted(steps)}, {leftovers} files left "
          "half written")
    print(f"{ends} trainings that were resumed end as the one without a kill")


if __name__ == "__main__":
    main()
