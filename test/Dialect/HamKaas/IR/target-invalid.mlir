// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{expected 'hamkaas.target' to be a #hamkaas.target, got "cpu"}}
module attributes {hamkaas.target = "cpu"} {}

// -----

// expected-error @below {{expected 'hamkaas.target' on a module}}
func.func private @f() attributes {hamkaas.target = #hamkaas.target<"cpu", chip = "x86-64">}

// -----

// expected-error @below {{expected the name of a target, got ""}}
module attributes {hamkaas.target = #hamkaas.target<"", chip = "x86-64">} {}

// -----

// expected-error @below {{expected the chip of target 'cpu', got ""}}
module attributes {hamkaas.target = #hamkaas.target<"cpu", chip = "">} {}

// -----

// expected-error @below {{expected a target of cpu, cuda, cuda-emulation, got 'tpu'}}
module attributes {hamkaas.target = #hamkaas.target<"tpu", chip = "x86-64">} {}

// -----

// expected-error @below {{expected an ISA level such as 'x86-64-v3' as the chip of target 'cpu', got 'z80'}}
module attributes {hamkaas.target = #hamkaas.target<"cpu", chip = "z80">} {}

// -----

// expected-error @below {{expected no binaries of target 'cpu', got 1}}
module attributes {hamkaas.target = #hamkaas.target<"cpu", chip = "x86-64", binaries = ["sm_80"]>} {}

// -----

// expected-error @below {{expected a precision of target 'cpu', one of exact, bf16, got 'tf32'}}
module attributes {hamkaas.target = #hamkaas.target<"cpu", chip = "x86-64", precision = tf32>} {}

// -----

// expected-error @below {{expected an architecture of NVIDIA GPUs such as 'sm_80' as a chip of target 'cuda', got 'sm_70'}}
module attributes {hamkaas.target = #hamkaas.target<"cuda", chip = "sm_70">} {}

// -----

// expected-error @below {{expected an architecture of NVIDIA GPUs such as 'sm_80' as a chip of target 'cuda', got 'gfx90a'}}
module attributes {hamkaas.target = #hamkaas.target<"cuda", chip = "sm_80", binaries = ["sm_80", "gfx90a"]>} {}

// -----

// expected-error @below {{expected a precision of exact, tf32, 3xtf32 or bf16, got 'half'}}
module attributes {hamkaas.target = #hamkaas.target<"cuda", chip = "sm_80", precision = half>} {}

// -----

// expected-error @below {{expected precision or binaries, got 'lanes'}}
module attributes {hamkaas.target = #hamkaas.target<"cuda", chip = "sm_80", lanes = 32>} {}
