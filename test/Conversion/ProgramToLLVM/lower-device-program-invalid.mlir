// RUN: hamkaas-opt %s -hamkaas-lower-device-program -verify-diagnostics

// expected-error @below {{expected a function @main}}
module {
}
