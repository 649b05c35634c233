//===- ToolOptions.td - The command line of the tools ---------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All options of hamkaas-compile, hamkaas-run and hamkaas-translate, in the
// order of docs/CommandLine.md.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_OPTIONS_TOOLOPTIONS
#define HAMKAAS_OPTIONS_TOOLOPTIONS

include "HamKaas/Options/Option.td"

//===----------------------------------------------------------------------===//
// hamkaas-compile
//===----------------------------------------------------------------------===//

def o : CommandLineOption<Path,
    "What to write: .so (with a header .h), .o or .a; with --emit the text, - "
    "for standard output"> {
  let Placeholder = "file";
  let ValuesText = "`F.so`, `F.o`, `F.a`";
  let Description = "the program; its C header is written beside it. With a "
                    "text form, the text; `-` is standard output";
  let Tools = [CompileTool, TranslateTool];
}

def emit : CommandLineOption<Choice, "Stop at a form"> {
  let Values = [OptionValue<"graph", "values, nothing of memory">,
                OptionValue<"kernels", "calls of kernels">,
                OptionValue<"planned", "each buffer's place">,
                OptionValue<"llvm", "LLVM IR">,
                OptionValue<"asm", "assembler">,
                OptionValue<"ptx", "code for a GPU, with --target=cuda">,
                OptionValue<"obj", "object file, as -o file.o">,
                OptionValue<"so", "library, as -o file.so">];
  let DefaultText = "by the ending of `-o`";
  let Description = "stop at a [form](Design.md#four-forms). `asm` is the code "
                    "for the CPU, `ptx` for a GPU";
}

def weights : CommandLineOption<Path, "File with the parameters"> {
  let Placeholder = "F.safetensors";
  let Description = "the parameters, in a safetensors or "
                    "[GGUF](LanguageModels.md) file: exactly those the model "
                    "names, with its types and shapes. They are embedded in "
                    "the written program. A program that runs uses them "
                    "instead of embedded ones";
  let Tools = [CompileTool, RunTool];
}

def external_weights : CommandLineOption<Switch,
    "Leave the parameters in their file; the program maps it when it is "
    "loaded"> {
  let Description = "leave them in the file, which the program [finds, checks "
                    "and maps](#weights-that-stay-in-their-file) at load";
}

def check : CommandLineOption<Switch,
    "Only read the model and print all that is wrong with it or not "
    "supported"> {
  let Description = "only read the model; report everything that is wrong or "
                    "not supported";
}

include "HamKaas/Options/CompileOptions.td"

def load_pass_plugin : CommandLineOption<Path,
    "Load passes of MLIR for --graph-passes"> {
  let Placeholder = "F.so";
  let ValuesText = "file";
  let IsRepeated = true;
  let Description = "load passes for {graph_passes} from a pass plug-in of "
                    "MLIR ([how to write one](CMake.md#a-pass-of-your-own)); "
                    "may be given several times. Disables the cache of "
                    "compiled code";
}

def report : CommandLineOption<Choice,
    "Print memory, work and kernels of the model"> {
  let Values = [OptionValue<"text", "as text">,
                OptionValue<"json", "for machines">];
  let IsValueOptional = true;
  let DefaultText = "`text` when given";
  let Description = "print tensors, memory, work and kernels";
}

def plan_svg : CommandLineOption<Path, "Draw the memory plan, time by offset"> {
  let Placeholder = "F.svg";
  let Description = "draw the workspace, time by offset. Colours are "
                    "[families](Design.md#kernels-what-runs-together) of "
                    "kernels, the same in all drawings. Red frames are the "
                    "buffers in use at the peak, listed below with their "
                    "lines: only they determine it";
}

def graph_svg : CommandLineOption<Path,
    "Draw the graph as it was read (needs Graphviz)"> {
  let Placeholder = "F.svg";
  let Description = "draw the graph as it was read; needs Graphviz. In a "
                    "graph of more than 40 operations, consecutive equal "
                    "blocks, such as the layers of a transformer, become one "
                    "frame with a count; at most 2000 operations may remain";
}

def optimized_graph_svg : CommandLineOption<Path,
    "Draw the graph as the optimizer leaves it (needs Graphviz)"> {
  let Placeholder = "F.svg";
  let Description = "draw it as the optimizer leaves it";
}

def unfold_graph : CommandLineOption<Switch,
    "Draw every repetition of equal blocks in a row"> {
  let Description = "draw every repetition of such blocks";
}

def progress : CommandLineOption<Choice,
    "Show on standard error how far the compilation is"> {
  let Values = [OptionValue<"auto", "on a terminal, after a second">,
                OptionValue<"always", "always">,
                OptionValue<"never", "never">];
  let Default = "auto";
  let Description = "show progress on standard error, including the number of "
                    "kernels compiled; the line disappears at the end. `auto`: "
                    "after a second, on a terminal, unless `CI` is set";
  let Tools = [CompileTool, RunTool];
}

def color : CommandLineOption<Choice, "Colours in messages"> {
  let Values = [OptionValue<"auto", "on a terminal, unless NO_COLOR is set">,
                OptionValue<"always", "always">,
                OptionValue<"never", "never">];
  let Default = "auto";
  let Description = "colours in messages; `auto` on a terminal, unless the "
                    "variable `NO_COLOR` is set";
  let Tools = [CompileTool, RunTool, TranslateTool];
}

//===----------------------------------------------------------------------===//
// hamkaas-run
//===----------------------------------------------------------------------===//

let Tools = [RunTool] in {
def input : CommandLineOption<Text, "Contents of an input, once for each"> {
  let Placeholder = "NAME=F.npy|random|zeros";
  let ValuesText = "`NAME=F.npy`, `NAME=random`, `NAME=zeros`";
  let DefaultText = "needed for each input";
  let IsRepeated = true;
  let Description = "`random` gives floats from -1 to 1, 8-bit integers and "
                    "`bool` of any value, and other integers 0 or 1, which are "
                    "valid positions in most models; the same in every run";
}

def output : CommandLineOption<Text, "Where to write an output"> {
  let Placeholder = "NAME=F.npy";
  let DefaultText = "the first values are printed";
  let IsRepeated = true;
  let Description = "where to write an output";
}

def function : CommandLineOption<Text, "Entry function to run"> {
  let Placeholder = "NAME";
  let DefaultText = "the first";
  let Description = "entry function to run, of a model with several";
}

def verify : CommandLineOption<Choice, "Compare with their digests"> {
  let Values = [OptionValue<"all",
                    "the library and the weights that it names">,
                OptionValue<"weights", "the weights, as without the option">,
                OptionValue<"none", "nothing">];
  let IsValueOptional = true;
  let DefaultText = "`weights`; `all` when given";
  let Description = "parts of a `model.so` to check by "
                    "[digest](#weights-that-stay-in-their-file): the library "
                    "before it is loaded and the weights that it names, the "
                    "weights only, or nothing";
}

def device : CommandLineOption<Text,
    "cpu, cuda, cuda:N (an NVIDIA GPU), cuda-emulation (one that is emulated), "
    "reference (the interpreter) or best"> {
  let Placeholder = "cpu|cuda|cuda:N|cuda-emulation|reference|best";
  let Default = "cpu";
  let Description = "`cuda:N` is NVIDIA GPU number `N`, `cuda` the first, for "
                    "a model with code for it; it needs a driver for CUDA "
                    "12.0 or newer. `reference` is the interpreter, slow but "
                    "simple. `best` is `cuda` if a GPU can run the model, "
                    "else `cpu`. `cuda-emulation` runs GPU kernels on the "
                    "CPU, slowly, and checks them: for tests of HamKaas";
}

def emulation_order : CommandLineOption<Text,
    "In which cuda-emulation runs the threads of a block: forward, backward, "
    "or shuffled by a number"> {
  let Placeholder = "forward|backward|SEED";
  let ValuesText = "`forward`, `backward`, a number";
  let Default = "forward";
  let Description = "order in which `cuda-emulation` runs the threads of a "
                    "block; a number seeds a shuffle";
}

def emulation_sums : CommandLineOption<Choice,
    "How cuda-emulation adds the products of tensor cores"> {
  let Values = [OptionValue<"rounded", "exactly, then rounded">,
                OptionValue<"cut", "as GPUs do, which cut digits off">];
  let Default = "rounded";
  let Description = "sums of `cuda-emulation`'s tensor cores: exact, then "
                    "rounded to float32; or truncated below the digits of the "
                    "largest number, as on GPUs";
}

def threads : CommandLineOption<Number,
    "Threads to run on, 0 for one a core"> {
  let Placeholder = "N";
  let ValuesText = "0 or more";
  let Default = "0";
  let Description = "0 for one per core";
}

def repeat : CommandLineOption<Number, "Run so many times and print the time"> {
  let Placeholder = "N";
  let ValuesText = "0 or more";
  let Default = "0";
  let Description = "number of runs; print median and least time";
}

def profile : CommandLineOption<Choice, "Measure the time of each kernel call"> {
  let Values = [OptionValue<"text">, OptionValue<"json">,
                OptionValue<"trace">];
  let IsValueOptional = true;
  let DefaultText = "off; `text`";
  let Description = "measure the time of each kernel call, see "
                    "[Performance](Performance.md#profiles). `trace` is for "
                    "chrome://tracing and Perfetto";
}

def profile_output : CommandLineOption<Path, "Where to write the profile"> {
  let Placeholder = "F";
  let ValuesText = "file";
  let Default = "-";
  let Description = "where to write the profile";
}

def profile_all : CommandLineOption<Switch,
    "List all calls in a profile as text"> {
  let Description = "list all calls as text, not only the 16 longest";
}

def calibrate : CommandLineOption<Switch,
    "Measure what this machine can do at most, for profiles"> {
  let Description = "measure the peaks of this machine, a few seconds per "
                    "number of threads; needs no model";
}

def list_engines : CommandLineOption<Switch,
    "List the engines of this machine, and files that are none"> {
  let Description = "list the [engines](Engines.md) of this machine with their "
                    "knobs, and the files that were searched; needs no model";
}

def ceilings : CommandLineOption<Path,
    "File that --calibrate writes and --profile reads (default: "
    "hamkaas/ceilings.json in the cache folder)"> {
  let Placeholder = "F.json";
  let DefaultText = "`hamkaas/ceilings.json` in `$XDG_CACHE_HOME` or `~/.cache`";
  let Description = "what {calibrate} writes and {profile} reads";
}

def check_against : CommandLineOption<Text,
    "Compare the outputs with those of this device"> {
  let Values = [OptionValue<"reference">];
  let DefaultText = "off";
  let Description = "compare the outputs with the interpreter's, to 1e-5 of "
                    "the values of a row (float64: 1e-12, float16: 5e-3, "
                    "bfloat16: 4e-2); integers and `bool` must be equal";
}

def digest : CommandLineOption<Switch,
    "Print the BLAKE3 of each output, to compare with others"> {
  let Description = "print the BLAKE3 of each output, to compare with [that of "
                    "others](#digests-of-outputs)";
}

def emit_report : CommandLineOption<Switch, "Print what the model needs"> {
  let Description = "print what `hamkaas-compile --report` prints";
}
} // hamkaas-run

//===----------------------------------------------------------------------===//
// hamkaas-translate
//===----------------------------------------------------------------------===//

let Tools = [TranslateTool] in {
def import_script : CommandLineOption<Switch, "read a script as GRAPH"> {
  let Description = "read a script as GRAPH";
}
def import_onnx : CommandLineOption<Switch, "read an ONNX model as GRAPH"> {
  let Description = "read an ONNX model as GRAPH";
}
def export_script : CommandLineOption<Switch, "write GRAPH as a script"> {
  let Description = "write GRAPH as a canonical script";
}
def script_version : CommandLineOption<Text,
    "Write scripts of this version"> {
  let Values = [OptionValue<"3">];
  let DefaultText = "the oldest that can say the same";
  let Description = "write a script of version 3 also where an older version "
                    "can say the same";
}
def mlir_print_debuginfo : CommandLineOption<Switch,
    "Import: print the places in the script"> {
  let Description = "import: print the places in the script";
}
def split_input_file : CommandLineOption<Text,
    "Translate the parts between lines of this text one by one"> {
  let Placeholder = "marker";
  let ValuesText = "marker";
  let IsValueOptional = true;
  let DefaultText = "off; `// -----`";
  let Description = "translate the sections between lines of this text one by "
                    "one";
}
def output_split_marker : CommandLineOption<Text,
    "What to write between the parts"> {
  let Placeholder = "marker";
  let ValuesText = "marker";
  let Description = "text between the sections";
}
def verify_diagnostics : CommandLineOption<Switch,
    "Compare the messages with comments of the form expected-error"> {
  let Description = "compare the messages with comments of the form "
                    "expected-error";
}
} // hamkaas-translate

//===----------------------------------------------------------------------===//
// All tools
//===----------------------------------------------------------------------===//

let Tools = [CompileTool, RunTool, TranslateTool] in {
def help : CommandLineOption<Switch, "Print this list"> {
  let Description = "";
}
def version : CommandLineOption<Switch, "Print the version"> {
  let Description = "";
}
let IsHidden = true in {
def print_completion : CommandLineOption<Text,
    "Print a script for completion"> {
  let Placeholder = "bash|zsh|fish";
}
def print_man : CommandLineOption<Switch, "Print the manual page">;
def h : CommandLineOption<Switch, "As --help">;
def mllvm : CommandLineOption<Text, "Option of LLVM, for debugging"> {
  let Placeholder = "option";
  let IsRepeated = true;
}
}
}

//===----------------------------------------------------------------------===//
// The parser
//===----------------------------------------------------------------------===//

/// The value in --help.
class Shown<CommandLineOption o> {
  string Placeholder =
      !if(!empty(o.Placeholder),
          !interleave(!foreach(value, o.Values, value.Name), "|"),
          o.Placeholder);
}

// An option has one or two dashes and its value behind '=' or as the next word.
// The spelling in --help has the help text; the other one is an alias.
foreach o = !instances<CommandLineOption>() in {
  defvar isShort = !eq(!size(o.Spelling), 1);
  defvar dashes = !if(isShort, ["-", "--"], ["--", "-"]);
  defvar hidden = !if(o.IsHidden, [HelpHidden], []<OptionFlag>);
  let EnumName = o.Id, HelpText = o.Help, Visibility = o.Tools,
      MetaVarName = "<"#Shown<o>.Placeholder#">", Flags = hidden in {
    if !eq(o.Type, Switch) then
      def "opt_"#o.Id : Flag<dashes, o.Spelling>;
    else if o.IsValueOptional then
      let MetaVarName = "[=<"#Shown<o>.Placeholder#">]" in
        def "opt_"#o.Id : Joined<dashes, o.Spelling>;
    else if isShort then
      def "opt_"#o.Id : Separate<dashes, o.Spelling>;
    else
      def "opt_"#o.Id : Joined<dashes, o.Spelling#"=">;
  }
  let EnumName = o.Id#"_alias", Visibility = o.Tools in {
    if !eq(o.Type, Switch) then
      def "opt_"#o.Id#"_alias" : Joined<dashes, o.Spelling#"=">;
    else if !not(o.IsValueOptional) then {
      if isShort then
        def "opt_"#o.Id#"_alias" : Joined<dashes, o.Spelling#"=">,
                                   Alias<!cast<Option>("opt_"#o.Id)>;
      else
        def "opt_"#o.Id#"_alias" : Separate<dashes, o.Spelling>,
                                   Alias<!cast<Option>("opt_"#o.Id)>;
    }
  }
}

#endif // HAMKAAS_OPTIONS_TOOLOPTIONS
