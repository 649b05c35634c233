//===- FakeModule.cpp - An image that nobody can run ----------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeModule.h"

#include <cstring>
#include <regex>

using namespace hamkaas::test::cuda;

static int countParameters(const std::string &list) {
  static const std::regex parameter("\\.param\\b");
  return static_cast<int>(
      std::distance(std::sregex_iterator(list.begin(), list.end(), parameter),
                    std::sregex_iterator()));
}

// Returns whether a kernel waits before its first access to memory that others
// have, and lets the next one start only after that.
static bool waitsFirst(const std::string &body) {
  static const std::regex sharing(
      "\\b(ld|st|ldu|atom|red|cp|prefetch|fence|membar|griddepcontrol)"
      "\\.(?!param|shared|local)[\\w.:]*");
  std::smatch first;
  return std::regex_search(body, first, sharing) &&
         first.str() == "griddepcontrol.wait";
}

// 90 of ".target sm_90a".
static int findPtxVersion(const std::string &text) {
  static const std::regex target("\\.target\\s+sm_(\\d+)");
  std::smatch found;
  return std::regex_search(text, found, target) ? std::stoi(found.str(1)) : 0;
}

std::string FakeModule::loadPtx(const std::string &text) {
  isPtx = true;
  ptx = text;
  static const std::regex entry("\\.entry\\s+([A-Za-z_$%][\\w$]*)\\s*\\(");
  for (auto i = std::sregex_iterator(text.begin(), text.end(), entry);
       i != std::sregex_iterator(); ++i) {
    size_t begin = static_cast<size_t>(i->position() + i->length());
    size_t end = text.find(')', begin);
    if (end == std::string::npos)
      return "expected ')' after the parameters of " + i->str(1);
    FakeFunction &function = functions[i->str(1)];
    function.name = i->str(1);
    function.wordCount = countParameters(text.substr(begin, end - begin));
    function.ptxVersion = findPtxVersion(text);
    // Up to the next kernel.
    function.waits =
        waitsFirst(text.substr(end, text.find(".entry", end) - end));
  }
  // One element where there is no number.
  static const std::regex global(
      "\\.global\\s[^;=(]*\\.[bsuf](8|16|32|64)\\s+([A-Za-z_$%][\\w$]*)"
      "(\\[(\\d+)\\])?");
  for (auto i = std::sregex_iterator(text.begin(), text.end(), global);
       i != std::sregex_iterator(); ++i) {
    size_t count = (*i)[4].matched ? std::stoul(i->str(4)) : 1;
    size_t bytes = std::stoul(i->str(1)) / 8 * count;
    variables.push_back({i->str(2), std::vector<char>(bytes), nullptr});
  }
  return "";
}

namespace {
/// As fatbinary writes them: the header of the whole, and that of each part.
struct FatbinHeader {
  static constexpr uint32_t expectedMagic = 0xba55ed50;

  uint32_t magic;
  uint16_t version, headerBytes;
  uint64_t bytes; // behind the header
};
struct FatbinPart {
  enum Kind : uint16_t { Ptx = 1, Elf = 2 };

  uint16_t kind, version;
  uint32_t headerBytes;
  uint64_t bytes; // behind the header
  uint32_t compressedBytes, unknown;
  uint16_t minor, major;
  uint32_t architecture; // 80
};
} // namespace

// Machine code runs on later minor versions, PTX on all later ones.
static bool fits(const FatbinPart &part, int capability) {
  int architecture = static_cast<int>(part.architecture);
  return architecture <= capability &&
         (part.kind == FatbinPart::Ptx || architecture / 10 == capability / 10);
}

std::string FakeModule::loadFatbin(const char *image, int capability) {
  FatbinHeader header;
  memcpy(&header, image, sizeof(header));
  const char *end = image + header.headerBytes + header.bytes;
  std::string text;
  bool isUsable = false;
  uint32_t latest = 0;
  FatbinPart part;
  for (const char *at = image + header.headerBytes; at < end;
       at += part.headerBytes + part.bytes) {
    memcpy(&part, at, sizeof(part));
    isUsable |= fits(part, capability);
    if (part.kind == FatbinPart::Elf)
      hasMachineCode |= fits(part, capability);
    else if (text.empty() ||
             (fits(part, capability) && part.architecture > latest)) {
      text.assign(at + part.headerBytes, part.bytes);
      latest = part.architecture;
    }
  }
  if (!isUsable || text.find(".version") == std::string::npos)
    return "expected a fatbin with PTX and code for compute capability " +
           std::to_string(capability);
  return loadPtx(text);
}

std::string FakeModule::load(const char *image, int capability) {
  if (memcmp(image, &FatbinHeader::expectedMagic, 4) == 0)
    return loadFatbin(image, capability);
  std::string text = image;
  if (text.find(".version") != std::string::npos)
    return loadPtx(text);
  if (text.rfind("fake", 0) != 0)
    return "expected PTX";
  allWait = text == "fake waits";
  for (const auto &[name, contents] : registered)
    variables.push_back({name, contents, nullptr});
  return "";
}

// See CudaCopyKernel.h.
static void copyUnlessFailed(const uint64_t *words) {
  if (*reinterpret_cast<const int64_t *>(words[3]) == 0)
    memcpy(reinterpret_cast<void *>(words[0]),
           reinterpret_cast<const void *>(words[1]), words[2]);
}

const FakeFunction *FakeModule::findFunction(const std::string &name) {
  if ((isPtx && !functions.count(name)) || name == "missing")
    return nullptr;
  FakeFunction &function = functions[name];
  function.name = name;
  function.waits |= allWait;
  if (auto found = kernels.find(name); found != kernels.end()) {
    function.wordCount = found->second.wordCount;
    function.kernel = found->second.kernel;
  }
  if (name == "hamkaas_copy") {
    function.kernel = copyUnlessFailed;
    function.valueIndex = 2;
  }
  return &function;
}
