//===- Arguments.cpp - What comes in from C, checked ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "HamKaas/Driver/Registration.h"
#include "HamKaas/Options/OptionError.h"
#include "HamKaas/Program/Identifiers.h"
#include "HamKaas/Runtime/Core/Error.h"
#include "HamKaas/Runtime/Core/TensorType.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace hamkaas;
using namespace hamkaas::capi;

char *capi::copyText(StringRef text) {
  char *copy = static_cast<char *>(std::malloc(text.size() + 1));
  if (!copy)
    return nullptr;
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = 0;
  return copy;
}

HamKaasError capi::fromError(Error error, Front front) {
  if (!error)
    return nullptr;
  error = spellOptions(std::move(error), front);
  // A message may quote what is not UTF-8.
  std::string text = json::fixUTF8(toString(std::move(error)));
  return rt::Error::adopt(copyText(text)).release();
}

HamKaasError capi::noPlace(StringRef what) {
  return fromError(
      createStringError("expected a place for " + what + ", got null"));
}

/// "the byte 0xff at offset 3" for what is no UTF-8, otherwise empty.
static std::string findInvalidByte(const char *text) {
  auto *begin = reinterpret_cast<const UTF8 *>(text);
  const UTF8 *cursor = begin;
  if (isLegalUTF8String(&cursor, begin + std::strlen(text)))
    return "";
  return ("the byte 0x" + utohexstr(*cursor, /*LowerCase=*/true) +
          " at offset " + Twine(cursor - begin))
      .str();
}

Error capi::checkText(const char *text, StringRef what) {
  if (!text)
    return createStringError("expected " + what + ", got null");
  std::string invalid = findInvalidByte(text);
  return invalid.empty() ? Error::success()
                         : createStringError("expected " + what +
                                             " in UTF-8, got " + invalid);
}

Error capi::checkOptionsSize(const size_t *given, size_t oldest, size_t known,
                             StringRef name) {
  // NOTE: a size that is not set may be any number; the structure must not be
  // read as far as it says.
  constexpr size_t largest = 4096;
  size_t size = *given;
  if (size < oldest || size > largest)
    return createStringError("expected the size of " + name + ", " +
                             Twine(known) + ", in structSize, got " +
                             Twine(size));
  StringRef unknown(reinterpret_cast<const char *>(given) + known,
                    size > known ? size - known : 0);
  if (unknown.find_first_not_of('\0') == StringRef::npos)
    return Error::success();
  return createStringError(name + " asks for what this library, version " +
                           Twine(HAMKAAS_C_VERSION_MAJOR) + "." +
                           Twine(HAMKAAS_C_VERSION_MINOR) + ", does not know");
}

Expected<HamKaasCompileOptions>
capi::readCompileOptions(const HamKaasCompileOptions *given) {
  return readOptions(given, "HamKaasCompileOptions",
                     offsetof(HamKaasCompileOptions, dimensions));
}

Expected<std::string> capi::readSource(const char *source, uint64_t bytes) {
  // The parsers' limit, which is more than any model needs.
  constexpr uint64_t largest = INT32_MAX;
  if (!source)
    return createStringError("expected the text of a model, got null");
  if (bytes > largest)
    return createStringError("expected the text of a model with at most " +
                             Twine(largest) + " bytes, got " + Twine(bytes));
  StringRef text = withoutByteOrderMark(StringRef(source, bytes));
  if (text.empty())
    return createStringError("expected the text of a model, got " +
                             Twine(bytes) + " bytes");
  return text.str();
}

static Error checkLines(const HamKaasCompileOptions &options) {
  if (options.lineCount < 0)
    return createStringError("expected a lineCount of at least 0, got " +
                             Twine(options.lineCount));
  if (options.lineCount > 0 && !options.lines)
    return createStringError("expected " + Twine(options.lineCount) +
                             " lines, got null");
  for (int32_t i = 0; i < options.lineCount; ++i) {
    const HamKaasSourceLine &line = options.lines[i];
    std::string what = ("the file of line " + Twine(i)).str();
    if (Error error = checkText(line.file, what))
      return error;
    bool isGiven = *line.file != 0;
    if (line.line < int64_t(isGiven) || line.line > UINT32_MAX)
      return createStringError("expected a line number of 1 to 2^32 - 1, got " +
                               Twine(line.line) + " for " + what);
  }
  return Error::success();
}

/// Checks the length of a list. `what` names its entries in the error.
static Error checkList(const void *list, int32_t count, StringRef what) {
  if (count < 0)
    return createStringError("expected a number of " + what +
                             " of at least 0, got " + Twine(count));
  if (count > 0 && !list)
    return createStringError("expected " + Twine(count) + " " + what +
                             ", got null");
  return Error::success();
}

static Error applyDimensions(const HamKaasCompileOptions &options,
                             ModelSource &source) {
  if (Error error =
          checkList(options.dimensions, options.dimensionCount, "dimensions"))
    return error;
  for (const HamKaasDimension &dimension :
       ArrayRef(options.dimensions, options.dimensionCount)) {
    if (Error error = checkText(dimension.name, "the name of a dimension"))
      return error;
    source.dims.emplace_back(dimension.name, dimension.size);
  }
  return Error::success();
}

static Error checkConstantInput(const HamKaasConstantInput &input) {
  if (Error error = checkText(input.name, "the name of a constant input"))
    return error;
  std::string what = "constant input '" + std::string(input.name) + "': ";
  size_t size = rt::elementTypeSize(input.elementType);
  if (size == 0)
    return createStringError(what + "expected a HamKaasElementType, got " +
                             Twine(input.elementType));
  if (Error error = checkList(input.shape, input.rank, what + "sizes"))
    return error;
  uint64_t bytes = 0;
  if (!rt::countBytes(size, input.rank, input.shape, bytes))
    return createStringError(what + "expected a shape of less than 2^63 bytes");
  if (bytes != input.bytes || (bytes > 0 && !input.data))
    return createStringError(what + "expected " + Twine(bytes) +
                             " bytes, got " +
                             (input.data ? Twine(input.bytes) : Twine("null")));
  return Error::success();
}

static Error applyConstantInputs(const HamKaasCompileOptions &options,
                                 ModelSource &source) {
  if (Error error = checkList(options.constantInputs,
                              options.constantInputCount, "constant inputs"))
    return error;
  for (const HamKaasConstantInput &input :
       ArrayRef(options.constantInputs, options.constantInputCount)) {
    if (Error error = checkConstantInput(input))
      return error;
    auto *elements = static_cast<const char *>(input.data);
    source.constantInputs.push_back({input.name,
                                     input.elementType,
                                     {input.shape, input.shape + input.rank},
                                     {elements, elements + input.bytes}});
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Options with one value
//===----------------------------------------------------------------------===//

// Each function takes a value over, unless it is zero: that is the default.

static Error readText(OptionId option, const char *given, std::string &value) {
  if (!given)
    return Error::success();
  if (std::string invalid = findInvalidByte(given); !invalid.empty())
    return makeOptionError(option, "expected UTF-8, got " + Twine(invalid));
  value = given;
  return Error::success();
}

static Error readPath(OptionId, const char *given, std::string &value) {
  if (given)
    value = given;
  return Error::success();
}

static Error readSwitch(OptionId, int32_t given, bool &value) {
  value = given != 0;
  return Error::success();
}

static Error readBytes(OptionId, uint64_t given, uint64_t &value) {
  if (given)
    value = given;
  return Error::success();
}

static Error readNumber(OptionId option, int32_t given, unsigned &value) {
  if (given < 0)
    return makeOptionError(option, "expected 0 or more, got " + Twine(given));
  if (given)
    value = given;
  return Error::success();
}

static Error readReal(OptionId, double given, double &value) {
  if (given != 0)
    value = given;
  return Error::success();
}

Error capi::readSettings(const HamKaasCompileOptions &options,
                         CompileSettings &settings) {
#define COMPILE_SETTING(ID, TYPE, FIELD, ...)                                  \
  if (Error error = read##TYPE(OptionId::ID, options.FIELD, settings.FIELD))   \
    return error;
#include "HamKaas/Options/CompileOptions.inc"
  return Error::success();
}

Error capi::readSettings(const HamKaasWriteOptions &options,
                         CompileSettings &settings) {
#define WRITE_SETTING(ID, TYPE, FIELD)                                         \
  if (Error error = read##TYPE(OptionId::ID, options.FIELD, settings.FIELD))   \
    return error;
#include "HamKaas/Options/CompileOptions.inc"
  return Error::success();
}

Error capi::checkLibraryOptions(const HamKaasCompileOptions &options,
                                StringRef library) {
  auto refuse = [&](OptionId option) {
    return makeOptionError(option, "expected a model to compile, got the "
                                   "compiled model '" +
                                       library + "'");
  };
#define COMPILE_SETTING(ID, TYPE, FIELD, DEFAULT, AFFECTS_CODE, IS_OF_MACHINE) \
  if (!IS_OF_MACHINE && options.FIELD)                                         \
    return refuse(OptionId::ID);
#include "HamKaas/Options/CompileOptions.inc"
  if (options.dimensionCount)
    return refuse(OptionId::dim);
  if (options.constantInputCount)
    return refuse(OptionId::const_input);
  if (options.name || options.lineCount)
    return createStringError("expected neither a name nor lines for the "
                             "compiled model '" +
                             library + "'");
  return Error::success();
}

Error capi::applyOptions(const HamKaasCompileOptions &options,
                         ModelSource &source) {
  if (Error error = checkLines(options))
    return error;
  if (Error error = applyDimensions(options, source))
    return error;
  if (Error error = applyConstantInputs(options, source))
    return error;
  if (options.name) {
    if (Error error = checkText(options.name, "a name of the model"))
      return error;
    source.name = modelIdentifier(options.name);
    if (source.file.empty())
      source.file = options.name;
  }
  if (Error error = readFront(options).moveInto(source.front))
    return error;
  if (Error error = readSettings(options, source.settings))
    return error;
  // Others need no pass by its name.
  static std::once_flag once;
  if (!source.settings.graphPasses.empty())
    std::call_once(once, registerPasses);
  for (const HamKaasSourceLine &line :
       ArrayRef(options.lines, options.lineCount))
    source.lines.push_back({line.file, line.line});
  return Error::success();
}

Expected<Front> capi::readFront(const HamKaasCompileOptions &options) {
  if (options.optionNames == HamKaasNamesOfC)
    return Front::C;
  if (options.optionNames == HamKaasNamesOfPython)
    return Front::Python;
  return createStringError(".optionNames: expected a HamKaasOptionNames, got " +
                           Twine(options.optionNames));
}

void capi::setProgress(const HamKaasCompileOptions &options,
                       CompileOptions &compileOptions) {
  if (!options.progress)
    return;
  compileOptions.progress =
      [function = options.progress,
       context = options.progressContext](StringRef step, int done, int total) {
        return function(context, step.str().c_str(), done, total) == 0;
      };
}
