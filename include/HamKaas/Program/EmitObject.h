//===- EmitObject.h - Machine code from an LLVM module ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PROGRAM_EMITOBJECT_H
#define HAMKAAS_PROGRAM_EMITOBJECT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace llvm {
class MemoryBuffer;
class Module;
class TargetMachine;
} // namespace llvm

namespace hamkaas {

/// Attribute of a function whose loops LLVM is to unroll.
inline constexpr llvm::StringLiteral unrollAttribute = "hamkaas-unroll";

/// Attribute of a function whose addresses LLVM is to compute as they are
/// written, without loop strength reduction. It counts if all functions of a
/// module have it.
inline constexpr llvm::StringLiteral plainAddressesAttribute =
    "hamkaas-plain-addresses";

/// Attribute of a function whose instructions LLVM is to leave in the order in
/// which they are written, as far as it has no other reason to move them.
inline constexpr llvm::StringLiteral keepOrderAttribute = "hamkaas-keep-order";

/// Optimises `module` in place and compiles it. Equal modules give equal bytes.
/// The buffer is an ELF object; its functions and data have sections of their
/// own, so that a linker can drop the unused ones.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
emitObject(llvm::Module &module, llvm::TargetMachine &machine);

/// The same code as text for the assembler.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
emitAssembly(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace hamkaas

#endif // HAMKAAS_PROGRAM_EMITOBJECT_H
