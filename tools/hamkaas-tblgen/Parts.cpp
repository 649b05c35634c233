//===- Parts.cpp - Generated parts of files ---------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parts.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace hamkaas::tblgen;
using llvm::StringRef;

static constexpr StringRef beginMark = "hamkaas-tblgen begin: ";
static constexpr StringRef endMark = "hamkaas-tblgen end";

static llvm::Error makeError(StringRef path, int64_t line,
                             const llvm::Twine &text) {
  return llvm::createStringError(path + ":" + llvm::Twine(line) +
                                 ": error: " + text);
}

llvm::Error hamkaas::tblgen::updateParts(const llvm::RecordKeeper &records,
                                         StringRef path,
                                         llvm::ArrayRef<Part> parts,
                                         llvm::raw_ostream &os) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError(buffer.getError(),
                                   "cannot read '" + path +
                                       "': " + buffer.getError().message());
  int64_t begin = 0;
  for (llvm::line_iterator line(**buffer, /*SkipBlanks=*/false);
       !line.is_at_end(); ++line) {
    if (begin && line->contains(endMark))
      begin = 0;
    else if (begin)
      continue;
    os << *line << '\n';
    if (!line->contains(beginMark))
      continue;
    begin = line.line_number();
    StringRef name = line->split(beginMark).second.take_until(llvm::isSpace);
    auto part = llvm::find_if(
        parts, [&](const Part &part) { return part.name == name; });
    if (part == parts.end())
      return makeError(path, begin, "unknown part '" + name + "'");
    part->emit(records, os);
  }
  if (begin)
    return makeError(path, begin, "expected '" + endMark + "' below");
  return llvm::Error::success();
}
