# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives each option of a compilation to a front, with a wrong value.

usage: every-front.py FOLDER --front=FRONT [--answers=FILE]
       every-front.py FOLDER --write-c=FILE | --write-c++=FILE

The folder has the table of options as JSON, the models, and the programs `c`
and `c++` that the second form writes. Switches have no wrong value: a model must
compile with them, or the error names the option that is missing beside them.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

# With both targets, every option means something.
TARGETS = "cpu,cuda"

# By type: a wrong value in C, C++ and Python, and on the command line.
WRONG = {"Text": '"no value"', "Path": '"/no/folder"', "Bytes": "1",
         "Number": "-1", "Real": "-1.0"}
WRONG_OF_LINE = {"Text": "no value", "Path": "/no/folder", "Bytes": "1",
                 "Number": "-1", "Real": "-1"}


class Option:
    """A record of CompileOptions.td."""

    def __init__(self, record):
        self.id = record["Id"]
        self.line_name = "--" + record["Spelling"]
        self.c_name = record["CName"] or re.sub(
            "_(.)", lambda match: match[1].upper(), self.id)
        self.python_name = record["PythonName"] or self.id
        self.type = record["Type"]["def"]
        self.is_structured = bool(record["IsStructured"])
        self.is_inverse = bool(record["IsPythonInverse"])
        self.is_of_onnx = bool(record["IsOfOnnx"]) or self.is_structured
        self.is_of_write = bool(record["IsOfWrite"])
        self.tools = [tool["def"] for tool in record["Tools"]]

    @property
    def model(self):
        """One that the option says something about."""
        return "linked.onnx" if self.type == "Path" and self.is_of_onnx else \
            "plain.onnx" if self.is_structured else "model.hk"

    def check(self, answer, name):
        """The error about the answer of a front that calls it `name`."""
        # Training has a loss, which no default can know.
        if self.id == "train":
            name = name.replace("train", "loss")
        elif self.type == "Switch":
            return "" if answer == "" else f"expected no error, got '{answer}'"
        # A limit is one of the model, at a line of it.
        if self.type == "Bytes":
            name = "a workspace of at most 1 bytes"
        if "expected" in answer + " expected" and \
                re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", answer):
            return ""
        return f"expected an error that names {name}, got '{answer}'"


def read_options(folder):
    records = json.loads((folder / "options.json").read_text())
    options = [Option(records[name])
               for name in records["!instanceof"]["CompileOption"]]
    assert len(options) > 10
    return options


#===------------------------------------------------------------------------===#
# C and C++
#===------------------------------------------------------------------------===#

C_BEGIN = """#include "hamkaas-c/Compiler.h"
#include <stdio.h>
static void tell(const char *name, HamKaasError error) {
  printf("%s\\t%s\\n", name, error ? error : "");
  HamKaasErrorFree(error);
}
int main(void) {
  HamKaasModel *model = NULL;
  HamKaasDimension dimension = {"none", 1};
  HamKaasConstantInput constant = {"none", 0, 0, NULL, "1234", 4};
"""

CXX_BEGIN = """#include "hamkaas-cpp/HamKaas.h"
#include <cstdio>
template <typename R> static void tell(const char *name, const R &result) {
  std::printf("%s\\t%s\\n", name, result ? "" : result.error().message().c_str());
}
int main() {
  HamKaasDimension dimension = {"none", 1};
  HamKaasConstantInput constant = {"none", 0, 0, nullptr, "1234", 4};
"""


def set_in_c(option, is_cxx):
    """Statements that set the option."""
    if not option.is_structured:
        wrong = "true" if is_cxx else "1"
        return f"options.{option.c_name} = {WRONG.get(option.type, wrong)};"
    value = "constant" if option.id == "const_input" else "dimension"
    if is_cxx:
        return f"options.{option.c_name} = {{{value}}};"
    count = option.c_name.removesuffix("s") + "Count"
    return f"options.{option.c_name} = &{value}; options.{count} = 1;"


def write_c(options, folder, is_cxx):
    text = CXX_BEGIN if is_cxx else C_BEGIN
    for option in options:
        path = json.dumps(str(folder / option.model))
        begin = ("hamkaas::CompileOptions options;" if is_cxx else
                 "HamKaasCompileOptions options = {0}; "
                 "options.structSize = sizeof options;")
        target = "" if option.id == "target" else \
            f'options.target = "{TARGETS}";'
        end = (f"hamkaas::Model::load({path}, options)" if is_cxx else
               f"HamKaasModelLoad({path}, &options, &model)")
        text += f"""  {{
    {begin}
    {target}
    {set_in_c(option, is_cxx)}
    tell("{option.id}", {end});
{"" if is_cxx else "    HamKaasErrorFree(HamKaasModelDestroy(model)); model = NULL;"}
  }}
"""
    return text + "  return 0;\n}\n"


def ask_program(front, folder):
    text = subprocess.run([str(folder / front)], check=True, text=True,
                          capture_output=True).stdout
    (folder / f"{front}.txt").write_text(text)
    return text


def parse_answers(text):
    """A line with a tab begins an answer, which may have more lines."""
    parts = re.split(r"^(\w+)\t", text, flags=re.M)[1:]
    return dict(zip(parts[::2], (part.strip() for part in parts[1::2])))


#===------------------------------------------------------------------------===#
# The command line
#===------------------------------------------------------------------------===#

TOOLS = {"hamkaas-compile": "CompileTool", "hamkaas-run": "RunTool",
         "hamkaas-translate": "TranslateTool"}


def ask_tool(tool, option, folder):
    model = folder / option.model
    command = [tool, str(model)]
    if tool == "hamkaas-compile":
        command += ["-o", str(folder / "out.so")]
    if tool == "hamkaas-run" and option.model == "model.hk":
        command += ["--input=x=zeros"]
    if tool == "hamkaas-translate":
        command += ["--import-onnx" if model.suffix == ".onnx"
                    else "--import-script"]
    elif tool == "hamkaas-compile" and option.id != "target":
        command.append(f"--target={TARGETS}")
    elif tool == "hamkaas-run" and option.id in (
            "engine", "gpu_arch", "precision"):
        command.append("--device=cuda")
    value = {"dim": "none=1", "const_input": f"none={folder / 'one.npy'}"}.get(
        option.id, WRONG_OF_LINE.get(option.type))
    command.append(option.line_name + (f"={value}" if value else ""))
    run = subprocess.run(command, text=True, capture_output=True)
    return run.stderr.strip() if run.returncode else ""


def write_array(folder):
    """A .npy of one number, without numpy."""
    head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (), }"
    head = head.ljust(128 - 10 - 1) + b"\n"
    (folder / "one.npy").write_bytes(
        b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + b"1234")


#===------------------------------------------------------------------------===#
# Python
#===------------------------------------------------------------------------===#


def ask_python(option, folder):
    """The answers of the functions that compile, by name."""
    import hamkaas as hk
    import hamkaas.onnx
    import numpy as np

    value = {"dims": {"none": 1}, "const_inputs": {"none": np.float32(1)}}.get(
        option.python_name)
    if value is None:
        value = not option.is_inverse if option.type == "Switch" \
            else json.loads(WRONG[option.type])
    given = {"target": TARGETS, option.python_name: value}
    x = hk.input("x", [4, 4])
    path = folder / option.model
    onnx = path if path.suffix == ".onnx" else folder / "plain.onnx"
    calls = {"load": lambda: hk.load(path, **given)}
    if not option.is_of_onnx:
        calls["compile"] = lambda: hk.compile(x @ x @ x, **given)
    # A model without a workspace has none that is too large.
    if option.type != "Bytes":
        calls["onnx.prepare"] = lambda: hamkaas.onnx.prepare(onnx, **given)
    if option.is_of_write:
        calls["save"] = lambda: hk.compile(x).save(
            folder / "out.so", **{"target": TARGETS, option.python_name: value})
    answers = {}
    for name, call in calls.items():
        try:
            call()
            answers[name] = ""
        except hk.HamKaasError as error:
            answers[name] = str(error)
    return answers


#===------------------------------------------------------------------------===#
# All of them
#===------------------------------------------------------------------------===#


def ask(front, options, folder, given):
    """Yields options, who was asked, the name to expect and the answer."""
    if front in ("c", "c++"):
        text = given.read_text() if given else ask_program(front, folder)
        answers = parse_answers(text)
        for option in options:
            yield option, front, "." + option.c_name, answers[option.id]
    elif front == "python":
        for option in options:
            for name, answer in ask_python(option, folder).items():
                yield option, name, option.python_name, answer
    else:
        write_array(folder)
        for option in options:
            if TOOLS[front] in option.tools:
                yield (option, front, option.line_name,
                       ask_tool(front, option, folder))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--front")
    parser.add_argument("--answers", type=pathlib.Path)
    parser.add_argument("--write-c", type=pathlib.Path)
    parser.add_argument("--write-c++", dest="write_cxx", type=pathlib.Path)
    given = parser.parse_args()
    options = read_options(given.folder)
    for path, is_cxx in ((given.write_c, False), (given.write_cxx, True)):
        if path:
            path.write_text(write_c(options, given.folder, is_cxx))
            return
    count = 0
    problems = []
    for option, who, name, answer in ask(given.front, options, given.folder,
                                         given.answers):
        count += 1
        if problem := option.check(answer, name):
            problems.append(f"{who}: {option.id}: {problem}")
    print(f"{given.front}: {count} answers")
    sys.exit("\n".join(problems) if problems or not count else 0)


if __name__ == "__main__":
    main()
