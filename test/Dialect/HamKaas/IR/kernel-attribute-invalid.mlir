// RUN: hamkaas-opt %s -split-input-file -verify-diagnostics

// expected-error @+2 {{expected ::hamkaas::KernelFamily to be one of: view, elementwise, row, contraction, movement}}
// expected-error @below {{failed to parse HamKaas_KernelAttr parameter 'family'}}
func.func private @family() attributes {hamkaas.kernel = #hamkaas.kernel<quantum>}

// -----

// expected-error @below {{expected '='}}
func.func private @tile() attributes {hamkaas.kernel = #hamkaas.kernel<row, tile 8>}
