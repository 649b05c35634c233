//===- CompileOptions.td - The options of a compilation ----*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only list of these options. In the order of HamKaasCompileOptions: new
// records go to the end.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_OPTIONS_COMPILEOPTIONS
#define HAMKAAS_OPTIONS_COMPILEOPTIONS

include "HamKaas/Options/Option.td"

def field_name : CField<"const char *name",
    "Name of the model, and of its file in messages. \"model\" when null, or "
    "the stem of the name of a file that is loaded.">;

def cxx_name : CxxField<"std::string name = {}">;

def target_cpu : CompileOption<Text,
    "Instruction set level: host, or x86-64 to x86-64-v4"> {
  let Values = [OptionValue<"host">, OptionValue<"x86-64">,
                OptionValue<"x86-64-v2">, OptionValue<"x86-64-v3">,
                OptionValue<"x86-64-v4">];
  let Default = "host";
  let Description = "the ISA level, which every machine that runs the program "
                    "must have; results are the same bits on all of them";
  let IsOfWrite = true;
  let PythonWriteDefault = "host";
}

def max_workspace : CompileOption<Bytes,
    "Limit of the workspace, the results between kernels"> {
  let Placeholder = "BYTES|nKB|nMB|nGB";
  let ValuesText = "bytes, `4KB`, `2MB`, `1GB` (1 KB is 1,024 bytes)";
  let DefaultText = "no limit";
  let Description = "the results between kernels take no more bytes: some are computed again, not kept; an error if that is not enough";
  let Tools = [CompileTool];
}

def unchecked : CompileOption<Switch, "Leave out checks of run-time positions"> {
  let Description = "leave out the checks of positions that are known only at "
                    "run time";
  let Tools = [CompileTool, RunTool, TranslateTool];
}

def field_line_count : CField<"int32_t lineCount",
    "Positions that messages and reports show for the lines of the text, one "
    "per line, or none. Further lines keep their own.">;
def field_lines : CField<"const HamKaasSourceLine *lines">;
def cxx_lines : CxxField<"std::vector<HamKaasSourceLine> lines = {}">;
def field_progress : CField<"HamKaasProgressFunction progress", "",
                            "may be null">;
def field_progress_context : CField<"void *progressContext">;

let Since = "1.1" in {
def dim : CompileOption<Text, "ONNX: size of a dimension that has a name"> {
  let Placeholder = "NAME=N";
  let ValuesText = "`NAME=N`, once for each";
  let Description = "ONNX: the size of a dimension that has a name";
  let Tools = [CompileTool, RunTool, TranslateTool];
  let IsRepeated = true;
  let IsStructured = true;
  let PythonName = "dims";
  let CName = "dimensions";
}

def const_input : CompileOption<Text,
    "ONNX: make an input a constant of the model"> {
  let Placeholder = "NAME=F.npy";
  let ValuesText = "`NAME=F.npy`, once for each";
  let Description = "ONNX: make an input a constant of the model";
  let Tools = [CompileTool, RunTool, TranslateTool];
  let IsRepeated = true;
  let IsStructured = true;
  let PythonName = "const_inputs";
  let CName = "constantInputs";
}

def field_dimensions : CField<"const HamKaasDimension *dimensions",
    "ONNX models only, like the next three members.">;
def field_constant_inputs : CField<
    "const HamKaasConstantInput *constantInputs", "",
    "needed only during the call">;
def cxx_dimensions : CxxField<
    "std::vector<HamKaasDimension> dimensions = {}">;
def cxx_constant_inputs : CxxField<
    "std::vector<HamKaasConstantInput> constantInputs = {}">;
def cxx_progress : CxxField<"std::function<bool(std::string_view step, int "
                            "done, int total)> progress = {}">;
def field_dimension_count : CField<"int32_t dimensionCount">;
def field_constant_input_count : CField<"int32_t constantInputCount">;
def field_failure : CField<"int32_t *failure",
    "Set to a HamKaasCompileFailure.", "out, may be null">;
def field_summary : CField<"char **summary",
    "Set to a JSON text with the inputs and outputs of the model in order, "
    "and the inputs whose size or elements are missing, also after an error; "
    "the caller frees it with HamKaasTextFree. Null if not even that is "
    "known: {\"inputs\": [{\"name\": \"x\", \"type\": \"float32\", \"shape\": "
    "[2, \"n\"]}], \"outputs\": [...], \"missing\": [\"axes\"]}. Elements of "
    "at most 8 bits that a program stores as bytes also have their ONNX type: "
    "\"format\": \"INT4\".", "out, may be null">;
} // Since 1.1

let Since = "1.2" in {
def no_cache : CompileOption<Switch,
    "Neither take code from the cache of compiled code nor leave it there"> {
  let Description = "neither take the code from the "
                    "[cache](#the-cache-of-compiled-code) nor "
                    "leave it there";
  let AffectsCode = false;
  let IsOfMachine = true;
  let PythonName = "cache";
  let IsPythonInverse = true;
}

def compile_threads : CompileOption<Number,
    "Threads to compile on, 0 for one a core"> {
  let Placeholder = "N";
  let ValuesText = "0 or more";
  let Default = "0";
  let Description = "threads to compile on, 0 for one per core; the program "
                    "does not depend on it";
  let AffectsCode = false;
  let IsOfMachine = true;
}
} // Since 1.2

let Since = "1.3", IsOfWrite = true in {
def target : CompileOption<Text,
    "Devices: cpu, cuda (NVIDIA GPUs) or cpu,cuda"> {
  let Values = [OptionValue<"cpu">, OptionValue<"cuda">,
                OptionValue<"cpu,cuda">];
  let Default = "cpu";
  let Description = "the devices of the program: the CPU, NVIDIA GPUs, or both "
                    "in one file. `cuda-emulation` is for tests of HamKaas";
  let Tools = [CompileTool];
  let IsPythonOptional = true;
}

def gpu_arch : CompileOption<Text,
    "NVIDIA GPUs to run on: sm_80 or newer ones for machine code and PTX of "
    "the oldest, or compute_80 or a newer one for PTX alone"> {
  let Placeholder = "sm_NN[,...]";
  let ValuesText = "`compute_NN`, `sm_NN[,sm_NN...]`, NN of 80 and more";
  let Default = "compute_80";
  let Description = "for `cuda`: the GPU architectures. `compute_80` is PTX "
                    "for `sm_80` and newer, which the driver compiles at "
                    "load. `sm_80,sm_90` is machine code for these, and PTX "
                    "of the oldest for all others. It needs `ptxas` and "
                    "`fatbinary` of a CUDA toolkit, in `CUDA_PATH`, "
                    "`CUDA_HOME`, `PATH` or `/usr/local/cuda`, and at run "
                    "time a driver as new as the toolkit";
}

def engine : CompileOption<Text,
    "Engine libraries that compute what they can, such as openblas, or cublaslt "
    "on a GPU"> {
  let Placeholder = "ID[:KNOB=VALUE][@PLACE][,...]";
  let ValuesText = "`ID[:KNOB=VALUE][@PLACE][,...]`";
  let Description = "groups of operations go to [engine "
                    "libraries](Engines.md), which must be present when the "
                    "program is loaded: for `cpu` those of the processor, for "
                    "`cuda` and `cpu,cuda` those of GPUs, such as "
                    "[cublaslt](GPUKernels.md#cublaslt)";
}

def precision : CompileOption<Text,
    "Products of float32: exact, tf32, 3xtf32 or bf16, of which a CPU has "
    "exact and bf16"> {
  let Values = [OptionValue<"exact">, OptionValue<"tf32">,
                OptionValue<"3xtf32">, OptionValue<"bf16">];
  let Default = "exact";
  let Description = "for `cuda`: the arithmetic of large float32 matmuls and "
                    "convolutions: multiply-adds, or [tensor "
                    "cores](GPUKernels.md#contractions), which round the "
                    "factors to 10, about 21 or 7 fraction bits. For `cpu` "
                    "alone: `bf16` [rounds the weights](CPUKernels.md#weights-"
                    "of-16-bits) of matmuls, for half of their memory. Sums "
                    "are float32";
}
} // Since 1.3

let Since = "1.4" in {
def field_verify : CField<"int32_t verify",
    "Not 0: check a library by its digest before loading it, like "
    "HamKaasLibraryVerify. Ignored when compiling.">;
def cxx_verify : CxxField<"bool verify = false">;

def external_data_root : CompileOption<Path,
    "ONNX: folder that symbolic links of external data may lead to"> {
  let Placeholder = "folder";
  let ValuesText = "folder";
  let Description = "ONNX: a folder that symbolic links of [external "
                    "data](ONNX.md) may lead to. External data itself is "
                    "below the folder of the model. Links of a Hugging Face "
                    "cache, from snapshots/X to blobs/Y beside it, are "
                    "followed in any case";
  let Tools = [CompileTool, RunTool, TranslateTool];
  let AffectsCode = false;
  let IsOfOnnx = true;
}
} // Since 1.4

let Since = "1.5" in {
def no_optimize : CompileOption<Text,
    "Leave out optimizations of the graph, or all"> {
  let Placeholder = "NAME[,NAME]";
  let ValuesText = "`NAME[,NAME]`, `all`";
  let IsRepeated = true;
  let Description = "skip optimizations of the graph: `fold-constants`, "
                    "`simplify`, `raise`, `move-layouts`, `raise-attention`, "
                    "`fold-affine`, `use-winograd`, `fuse-calls`, "
                    "`multiply-integers` ([what they "
                    "do](reference/GraphPasses.md)). The report says how "
                    "many nodes each removed and added. The interpreter of "
                    "`hamkaas-run` always runs the graph as it was read";
}

def winograd_error : CompileOption<Real,
    "Largest error of convolutions by Winograd's method, in parts of the "
    "largest value"> {
  let Placeholder = "E";
  let ValuesText = "0 or more";
  let Default = "1e-5";
  let Description = "largest error of a convolution by Winograd's method, "
                    "relative to its largest value. `3e-5` and more allow "
                    "tiles of 6 x 6; below `7e-7` the method is off";
}

def graph_passes : CompileOption<Text,
    "Run passes on the optimized graph, a pipeline of MLIR"> {
  let Placeholder = "PASS[,PASS]";
  let ValuesText = "`PASS[,PASS]`";
  let Description = "run passes on the optimized graph: an MLIR pipeline, as "
                    "in the brackets of `--pass-pipeline` of `mlir-opt`. The "
                    "graph is verified afterwards";
  let Tools = [CompileTool];
}

def check_each_pass : CompileOption<Switch,
    "Interpret the graph before and after each pass on random inputs, and name "
    "the first one that changes what it computes"> {
  let Description = "[interpret the graph before and after each "
                    "pass](#which-pass-changes-the-meaning), and "
                    "name the first one that changes what it computes";
  let AffectsCode = false;
}

def field_option_names : CField<"int32_t optionNames",
    "How messages name these options: a HamKaasOptionNames.">;

def debug_info : CompileOption<Switch,
    "Add line tables, which profilers and debuggers read"> {
  let Description = "add DWARF line tables, so that `perf annotate` and `gdb` "
                    "show the [lines of the model](#lines-of-machine-code) "
                    "beside machine code of the processor";
  let Tools = [CompileTool];
}
} // Since 1.5

let Since = "1.9" in {
def train : CompileOption<Switch,
    "Compile a program that trains the model: train_step, evaluate, predict"> {
  let Description = "compile a [program that trains the "
                    "model](Training.md#from-a-file): the functions "
                    "`train_step`, `evaluate` and `predict` over one state";
}

def loss : CompileOption<Text, "The loss of the training"> {
  let Values = [OptionValue<"cross_entropy">, OptionValue<"mse">,
                OptionValue<"l1">, OptionValue<"bce_with_logits">,
                OptionValue<"nll">, OptionValue<"kl">];
  let Description = "the loss that training minimizes";
}

def optimizer : CompileOption<Text,
    "The optimizer of the training: adam:lr=1e-3"> {
  let Placeholder = "NAME[:OPTION=N,...]";
  let ValuesText = "`NAME[:OPTION=N,...]`";
  let Default = "adam";
  let Description = "the [optimizer](Training.md#optimizers) with its options";
}

def freeze : CompileOption<Text,
    "Do not train the parameters whose names match"> {
  let Placeholder = "PATTERN[,PATTERN]";
  let ValuesText = "`PATTERN[,PATTERN]`";
  let IsRepeated = true;
  let Description = "do not train the parameters whose names match a glob "
                    "pattern such as `encoder.*`";
}

def train_output : CompileOption<Text,
    "The output that the loss takes, if the model has several"> {
  let Placeholder = "NAME";
  let ValuesText = "`NAME`";
  let Description = "the output that the loss takes, if the model has several";
}
} // Since 1.9

let Since = "1.10" in
def check_nan : CompileOption<Switch,
    "End a run in which an operation makes a NaN with an error that names it"> {
  let Description = "end a run in which an operation makes a "
                    "[NaN](Training.md#nan) with an error at its line. "
                    "Programs are much slower then: nothing is fused";
}

let Since = "1.11" in
def engine_path : CompileOption<Text,
    "Folders and files with engine libraries, separated by colons"> {
  let Placeholder = "FOLDER[:...]";
  let ValuesText = "folders, separated by colons";
  let Description = "search these folders and files for [engine "
                    "libraries](Engines.md#search-path) in place of the usual "
                    "ones, for which an empty entry stands";
}

let Since = "1.12" in {
def choose : CompileOption<Text,
    "How engines and their knobs are chosen: model, measure or "
    "measure=SECONDS"> {
  let Placeholder = "model|measure[=SECONDS]";
  let ValuesText = "`model`, `measure`, `measure=SECONDS`";
  let DefaultText = "`model`";
  let Description = "for `cpu`: `model` decides without running anything. "
                    "`measure` [times the engines](Engines.md#measuring) and "
                    "knobs that compute a group on this machine, within 60 or "
                    "SECONDS seconds, and writes the fastest to a choices file";
  let AffectsCode = false;
}

def choices : CompileOption<Path,
    "A choices file: which engine computes which group"> {
  let Placeholder = "F.choices.json";
  let ValuesText = "`F.choices.json`";
  let Description = "a [choices file](Engines.md#measuring), which says what "
                    "engine computes which group. Equal files make equal "
                    "programs, on any machine. `measure` adds to it what it "
                    "lacks, and creates it";
  let AffectsCode = false;
}

def verify_engines : CompileOption<Switch,
    "Compare what engines compute with the reference interpreter"> {
  let Description = "compare what [engines](Engines.md#verifying) compute with "
                    "the reference interpreter, and refuse what differs";
  let AffectsCode = false;
}
} // Since 1.12

let Since = "1.13", IsOfOnnx = true in {
def context : CompileOption<Number,
    "GGUF: positions that the model has room for"> {
  let Placeholder = "N";
  let ValuesText = "0 or more";
  let Default = "0";
  let Description = "GGUF: [positions](LanguageModels.md) that the cache of "
                    "keys and values has room for, 0 for those of the model, "
                    "but 2048 at most";
}

def chunk : CompileOption<Number,
    "GGUF: tokens that the model reads at once"> {
  let Placeholder = "N";
  let ValuesText = "0 or more";
  let Default = "0";
  let Description = "GGUF: tokens that `prefill` [reads at "
                    "once](LanguageModels.md), 0 for 64";
}
} // Since 1.13

let Since = "1.13" in
def quantized_products : CompileOption<Text,
    "Products with weights of few bits: exact or int8"> {
  let Values = [OptionValue<"exact">, OptionValue<"int8">];
  let Default = "exact";
  let Description = "for `cpu`: the arithmetic of [products with weights of few "
                    "bits](LanguageModels.md#arithmetic): those of the float32 "
                    "numbers that the weights stand for, or of integers, with "
                    "the other side rounded to 8 bits and a scale for each 32 "
                    "numbers";
}

let Since = "1.13", IsOfOnnx = true in
def cache_type : CompileOption<Text,
    "GGUF: numbers in the cache: f32, f16, bf16 or int8"> {
  let Values = [OptionValue<"f32">, OptionValue<"f16">, OptionValue<"bf16">,
                OptionValue<"int8">];
  let Default = "f32";
  let Description = "GGUF: the type of the numbers in the "
                    "[cache](LanguageModels.md#cache) of keys and values";
}

#endif // HAMKAAS_OPTIONS_COMPILEOPTIONS
