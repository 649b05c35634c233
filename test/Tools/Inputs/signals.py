# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""signals.py FOLDER: ends the tools by signals while they write a file, and
prints how they ended, what they said and what they left behind."""

import os
import signal
import subprocess
import sys

folder = sys.argv[1]
os.chdir(folder)
os.mkfifo("pipe.npy")
with open("model.hk", "w", encoding="utf-8") as script:
    script.write("$1 = InputTensor(x, float32, [1024, 1024]);\n"
                 "result = $1;\n")
command = ["hamkaas-run", "model.hk", "--input", "x=zeros",
           "--output", "result=pipe.npy"]


def end_while_writing(number, disposition):
    """The pipe is opened at the start of writing; a few of the bytes fit into
    it, and the tool waits with a temporary file."""
    # Whoever runs the test may ignore signals, which the tool would inherit.
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True,
                          env=dict(os.environ, TMPDIR="."),
                          preexec_fn=lambda: signal.signal(
                              number, disposition)) as tool:
        with open("pipe.npy", "rb") as reader:
            reader.read(1)
            tool.send_signal(number)
            if disposition == signal.SIG_IGN:
                reader.read()
            text = tool.communicate()[1]
    left = sorted(set(os.listdir(".")) - {"model.hk", "pipe.npy"})
    print(signal.Signals(number).name, tool.returncode, repr(text), left)


for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM,
               signal.SIGXCPU):
    end_while_writing(number, signal.SIG_DFL)
end_while_writing(signal.SIGHUP, signal.SIG_IGN)

# MLIR's own main; it waits for the rest of its input.
os.mkfifo("in.mlir")
with subprocess.Popen(["hamkaas-opt", "in.mlir"], stderr=subprocess.PIPE,
                      preexec_fn=lambda: signal.signal(
                          signal.SIGQUIT, signal.SIG_DFL)) as tool:
    with open("in.mlir", "wb"):
        tool.send_signal(signal.SIGQUIT)
        text = tool.communicate()[1]
print("hamkaas-opt", tool.returncode, text)
os.remove("in.mlir")
