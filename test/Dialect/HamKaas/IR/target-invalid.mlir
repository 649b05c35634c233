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

// expected-error @below {{to be one of: exact, tf32, 3xtf32, bf16}}
// expected-error @below {{failed to parse}}
module attributes {hamkaas.target = #hamkaas.target<"cuda", chip = "sm_80", precision = half>} {}
