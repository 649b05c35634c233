//===- Model.cpp - Reading a model in any of its languages ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/Model.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Driver/Compiler.h"
#include "HamKaas/Driver/Registration.h"
#include "HamKaas/Frontend/GGUF/GGUF.h"
#include "HamKaas/Frontend/Script/Script.h"
#include "HamKaas/Options/OptionError.h"
#include "HamKaas/Program/Identifiers.h"
#include "HamKaas/Runtime/Files/FileKind.h"
#include "HamKaas/Support/VisibleText.h"
#include "HamKaas/Training/TrainingProgram.h"
#include "MlirNesting.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace hamkaas;

static constexpr StringRef byteOrderMark = "\xEF\xBB\xBF";

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

static StringRef takeIdentifier(StringRef &text) {
  StringRef identifier = text.take_while(
      [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; });
  text = text.drop_front(identifier.size());
  return identifier;
}

/// `#name = ...`, where a comment of a script may look the same.
static bool mayBeAttributeAlias(StringRef line) {
  return line.consume_front("#") && !takeIdentifier(line).empty() &&
         line.ltrim().starts_with("=");
}

/// Returns whether MLIR can begin so: an operation in its general form or in
/// its own, `dialect.operation` or `module`, a type alias, or resources.
static bool isMlir(StringRef line) {
  // Three quotes begin a text of Python.
  if (line.starts_with("\"") || line.starts_with("%") ||
      line.starts_with("!") || line.starts_with("{-#"))
    return !line.starts_with("\"\"\"");
  StringRef name = takeIdentifier(line);
  if (name.empty() || name.contains('$') || llvm::isDigit(name.front()))
    return false;
  if (line.consume_front("."))
    return !takeIdentifier(line).empty();
  // Not "module" as a name in a statement.
  line = line.ltrim();
  return name == "module" &&
         (line.empty() || line.starts_with("{") || line.starts_with("@") ||
          line.starts_with("attributes"));
}

/// Returns whether no text has such a character, and no terminal should be
/// shown it.
static bool isBinary(char c) {
  unsigned char code = c;
  return (code < 0x20 && c != '\t' && c != '\r') || code == 0x7f;
}

static bool isStatement(StringRef line) {
  return line.starts_with("$") || line.starts_with("version") ||
         line.starts_with("result");
}

ModelKind hamkaas::getModelKind(StringRef content) {
  if (content.starts_with("\x7f"
                          "ELF"))
    return ModelKind::SharedLibrary;
  if (isGgufModel(content))
    return ModelKind::Gguf;
  if (isOnnxModel(content))
    return ModelKind::Onnx;
  if (rt::describeFileKind(content.data(), content.size()))
    return ModelKind::Unknown;
  content.consume_front(byteOrderMark);
  // The first line decides that is neither a comment nor an alias, which may
  // take several lines.
  bool hasAlias = false;
  for (StringRef rest = content; !rest.empty();) {
    StringRef line;
    std::tie(line, rest) = rest.split('\n');
    line = line.trim();
    hasAlias |= mayBeAttributeAlias(line);
    if (line.empty() || line.starts_with("#") || line.starts_with("//"))
      continue;
    bool isScript = isStatement(line);
    bool isMlirText = isMlir(line) || (hasAlias && !isScript);
    // Its parser says where in a text such a character is.
    if (!isScript && !isMlirText && llvm::any_of(line, isBinary))
      return ModelKind::Unknown;
    return isMlirText ? ModelKind::Mlir : ModelKind::Script;
  }
  // Nothing but comments: the script parser says what is missing.
  return ModelKind::Script;
}

/// Returns whether the first line that is no comment begins no statement.
static bool hasOtherStart(StringRef text) {
  while (text.starts_with("#"))
    text = text.split('\n').second.ltrim();
  return !text.empty() && !isStatement(text);
}

/// Describes a text that is no model; empty if it may be one.
static std::string describeOtherText(StringRef text, StringRef path) {
  if (text.starts_with("version https://git-lfs.github.com/"))
    return "a pointer of git-lfs, 'git lfs pull' fetches the model";
  StringRef start = withoutByteOrderMark(text).ltrim();
  for (StringRef page : {"<!doctype html", "<html"})
    if (start.starts_with_insensitive(page))
      return "a web page";
  // The parser says what is wrong with what is meant as a script.
  if (path.ends_with_insensitive(".hk") ||
      getModelKind(text) != ModelKind::Script || !hasOtherStart(start))
    return "";
  constexpr size_t shown = 40;
  return "text that begins with '" +
         makeVisible(start.split('\n').first.rtrim(), shown) + "'";
}

llvm::Error hamkaas::checkModelText(StringRef text, StringRef path) {
  std::string other = describeOtherText(text, path);
  if (other.empty())
    return llvm::Error::success();
  return llvm::createStringError(
      "cannot read '" + path +
      "': expected a model (a script, .mlir, .onnx or "
      ".gguf), got " +
      other);
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

static OwningOpRef<ModuleOp> parseMlir(llvm::SourceMgr &sources,
                                       MLIRContext *context,
                                       const ModelOptions &options) {
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  if (std::optional<size_t> place = findDeepNesting(buffer->getBuffer())) {
    auto [line, column] = sources.getLineAndColumn(
        SMLoc::getFromPointer(buffer->getBufferStart() + *place));
    emitError(FileLineColLoc::get(context, buffer->getBufferIdentifier(), line,
                                  column),
              "expected a model, got MLIR that nests too deep");
    return nullptr;
  }
  auto module = parseSourceFile<ModuleOp>(sources, context);
  if (!module)
    return nullptr;
  // Around operations without a module the parser puts one at line 0.
  if (auto loc = dyn_cast<FileLineColLoc>(module->getLoc());
      loc && loc.getLine() == 0)
    module->getOperation()->setLoc(
        FileLineColLoc::get(loc.getFilename(), 1, 1));
  if (options.unchecked)
    markUnchecked(*module);
  return module;
}

/// Null if the option has no such value.
static std::optional<CacheType> getCacheType(StringRef text) {
  return llvm::StringSwitch<std::optional<CacheType>>(text)
      .Case("f32", CacheType::F32)
      .Case("f16", CacheType::F16)
      .Case("bf16", CacheType::BF16)
      .Case("int8", CacheType::Int8)
      .Default(std::nullopt);
}

ParsedModel hamkaas::parseModel(llvm::SourceMgr &sourceMgr,
                                MLIRContext *context,
                                const ModelOptions &options) {
  const llvm::MemoryBuffer *buffer =
      sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID());
  if (withoutByteOrderMark(buffer->getBuffer()).empty()) {
    emitError(FileLineColLoc::get(context, buffer->getBufferIdentifier(), 0, 0),
              "expected a script, MLIR text, an ONNX or a GGUF model, got an "
              "empty file");
    return {};
  }
  switch (getModelKind(buffer->getBuffer())) {
  case ModelKind::Script:
    return {
        importScript(sourceMgr, context, {options.unchecked, options.lines})};
  case ModelKind::Mlir:
    return {parseMlir(sourceMgr, context, options)};
  case ModelKind::Onnx: {
    OnnxModel model =
        importOnnx(buffer->getBuffer(), buffer->getBufferIdentifier(), context,
                   options.onnx);
    return {std::move(model.module), std::move(model.parameters),
            std::move(model.summary), std::move(model.updates)};
  }
  case ModelKind::Gguf: {
    GgufModel model =
        importGguf(buffer->getBuffer(), buffer->getBufferIdentifier(), context,
                   {options.settings.context, options.settings.chunk,
                    *getCacheType(options.settings.cacheType)});
    return {std::move(model.module), std::move(model.parameters)};
  }
  case ModelKind::SharedLibrary:
  case ModelKind::Unknown:
    break;
  }
  const char *kind =
      rt::describeFileKind(buffer->getBufferStart(), buffer->getBufferSize());
  // No line is shown of what is no text.
  emitError(FileLineColLoc::get(context, buffer->getBufferIdentifier(), 0, 0))
      << "expected a script, MLIR text, an ONNX or a GGUF model, got "
      << (kind ? kind : "other binary data");
  return {};
}

llvm::Error hamkaas::trainModel(ParsedModel &model, const ParsedModel &step,
                                const CompileSettings &settings) {
  if (!settings.train)
    return llvm::Error::success();
  auto program = makeTrainingProgram(
      {step ? *step : *model, *model, step.updates}, settings);
  if (!program)
    return program.takeError();
  model.module = std::move(*program);
  return llvm::Error::success();
}

/// Options of language models are for these, which are not trained.
static llvm::Error checkLanguageOptions(StringRef text,
                                        const CompileSettings &settings) {
  bool isGguf = getModelKind(text) == ModelKind::Gguf;
  if (isGguf && settings.train)
    return makeOptionError(OptionId::train,
                           "expected another model than a GGUF file");
  if (!getCacheType(settings.cacheType))
    return makeOptionError(
        OptionId::cache_type,
        Twine("expected 'f32', 'f16', 'bf16' or 'int8', got '") +
            settings.cacheType + "'");
  bool hasType = settings.cacheType != CompileSettings().cacheType;
  for (auto [id, isGiven] :
       {std::pair(OptionId::context, settings.context != 0),
        std::pair(OptionId::chunk, settings.chunk != 0),
        std::pair(OptionId::cache_type, hasType)})
    if (isGiven && !isGguf)
      return makeOptionError(id, "expected a GGUF model");
  return llvm::Error::success();
}

llvm::Error hamkaas::parseAnyModel(llvm::SourceMgr &sourceMgr,
                                   MLIRContext *context,
                                   const ModelOptions &options,
                                   ParsedModel &model) {
  if (llvm::Error error = checkTrainingOptions(options.settings))
    return error;
  if (llvm::Error error = checkLanguageOptions(
          sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID())->getBuffer(),
          options.settings))
    return error;
  ModelOptions form = options;
  bool isTrained = options.settings.train;
  if (isTrained)
    form.onnx.training = OnnxTraining::Inference;
  model = parseModel(sourceMgr, context, form);
  if (!model || !isTrained)
    return llvm::Error::success();
  ParsedModel step;
  if (model.onnx) {
    form.onnx.training = OnnxTraining::Step;
    step = parseModel(sourceMgr, context, form);
    if (!step) {
      model.module = nullptr;
      return llvm::Error::success();
    }
  }
  return trainModel(model, step, options.settings);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerDialects(registry);
  return registry;
}

StringRef hamkaas::withoutByteOrderMark(StringRef text) {
  text.consume_front(byteOrderMark);
  return text;
}

static std::unique_ptr<llvm::MemoryBuffer>
dropByteOrderMark(std::unique_ptr<llvm::MemoryBuffer> buffer) {
  StringRef text = withoutByteOrderMark(buffer->getBuffer());
  if (text.size() == buffer->getBufferSize())
    return buffer;
  return llvm::MemoryBuffer::getMemBufferCopy(text,
                                              buffer->getBufferIdentifier());
}

llvm::Expected<std::unique_ptr<ModelFile>> ModelFile::open(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return llvm::createStringError(buffer.getError(),
                                   "cannot read '" + path +
                                       "': " + buffer.getError().message());
  if (llvm::Error error = checkModelText((*buffer)->getBuffer(), path))
    return std::move(error);
  return std::unique_ptr<ModelFile>(new ModelFile(
      dropByteOrderMark(std::move(*buffer)), path == "-" ? "" : path));
}

ModelFile::ModelFile(std::unique_ptr<llvm::MemoryBuffer> buffer, StringRef path)
    : filePath(path), mlirContext(makeRegistry()),
      diagnostics(sources, &mlirContext, llvm::errs()) {
  // The message and the line of the model say enough.
  mlirContext.printOpOnDiagnostic(false);
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
}

StringRef ModelFile::text() const {
  return sources.getMemoryBuffer(sources.getMainFileID())->getBuffer();
}

llvm::Expected<ModuleOp> ModelFile::parse(const ModelOptions &options) {
  if (llvm::Error error = parseAnyModel(sources, &mlirContext, options, model))
    return std::move(error);
  if (!model)
    return llvm::make_error<ReportedError>();
  return *model;
}

std::string hamkaas::getModelName(StringRef path) {
  return path == "-" ? "model" : modelIdentifier(llvm::sys::path::stem(path));
}
