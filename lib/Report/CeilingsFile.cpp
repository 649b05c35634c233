//===- CeilingsFile.cpp - Ceilings that were measured before ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Report/CeilingsFile.h"
#include "HamKaas/Support/Json.h"
#include "HamKaas/Support/OutputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cmath>

using namespace llvm;

/// Of the format; raised when it changes.
static constexpr int64_t version = 1;

namespace hamkaas {

std::string getDefaultCeilingsPath() {
  SmallString<128> path;
  if (!sys::path::cache_directory(path))
    return "";
  sys::path::append(path, "hamkaas", "ceilings.json");
  return path.str().str();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static bool readPositive(json::ObjectMapper &mapper, StringLiteral name,
                         double &value, json::Path path) {
  if (!mapper.map(name, value))
    return false;
  if (std::isfinite(value) && value > 0)
    return true;
  path.field(name).report("expected a number above 0");
  return false;
}

template <typename Entry, typename GetKey>
static bool checkAscending(const std::vector<Entry> &entries, json::Path path,
                           GetKey getKey) {
  if (entries.empty()) {
    path.report("expected at least one entry");
    return false;
  }
  for (size_t i = 1; i < entries.size(); ++i)
    if (getKey(entries[i]) <= getKey(entries[i - 1])) {
      path.index(i).report("expected entries in ascending order");
      return false;
    }
  return true;
}

// NOTE: the names of these functions are llvm::json's.
bool fromJSON(const json::Value &value, Bandwidth &bandwidth, json::Path path) {
  json::ObjectMapper mapper(value, path);
  if (!mapper || !mapper.map("bytes", bandwidth.bytes))
    return false;
  if (bandwidth.bytes == 0) {
    path.field("bytes").report("expected a number above 0");
    return false;
  }
  return readPositive(mapper, "gbs", bandwidth.gigabytesPerSecond, path);
}

bool fromJSON(const json::Value &value, ThreadCeilings &ceilings,
              json::Path path) {
  json::ObjectMapper mapper(value, path);
  if (!mapper || !mapper.map("threads", ceilings.threads) ||
      !readPositive(mapper, "gflops", ceilings.gigaflops, path) ||
      !mapper.map("read", ceilings.read) || !mapper.map("copy", ceilings.copy))
    return false;
  auto getBytes = [](const Bandwidth &bandwidth) { return bandwidth.bytes; };
  return checkAscending(ceilings.read, path.field("read"), getBytes) &&
         checkAscending(ceilings.copy, path.field("copy"), getBytes);
}

bool fromJSON(const json::Value &value, Ceilings &ceilings, json::Path path) {
  json::ObjectMapper mapper(value, path);
  int64_t found = 0;
  if (!mapper || !mapper.map("version", found))
    return false;
  if (found != version) {
    path.field("version").report("expected 1");
    return false;
  }
  return mapper.map("cpu", ceilings.cpu) &&
         mapper.map("threads", ceilings.threads) &&
         checkAscending(
             ceilings.threads, path.field("threads"),
             [](const ThreadCeilings &entry) { return entry.threads; });
}

Expected<std::optional<Ceilings>> readCeilings(StringRef path) {
  auto fail = [&](Error error) {
    return createStringError(path + ": " + toString(std::move(error)) +
                             "; hamkaas-run --calibrate writes it anew");
  };
  auto buffer = MemoryBuffer::getFile(path);
  if (buffer.getError() == std::errc::no_such_file_or_directory)
    return std::nullopt;
  if (!buffer)
    return createStringError("cannot read '" + path +
                             "': " + buffer.getError().message());
  auto value = parseJson((*buffer)->getBuffer());
  if (!value)
    return fail(value.takeError());
  json::Path::Root root("ceilings");
  Ceilings ceilings;
  if (!fromJSON(*value, ceilings, root))
    return fail(root.getError());
  return ceilings;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// As many digits as mean something.
static double round(double value) { return std::round(10 * value) / 10; }

static void writeBandwidths(json::OStream &json, StringRef name,
                            ArrayRef<Bandwidth> bandwidths) {
  json.attributeArray(name, [&] {
    for (const Bandwidth &bandwidth : bandwidths)
      json.object([&] {
        json.attribute("bytes", bandwidth.bytes);
        json.attribute("gbs", round(bandwidth.gigabytesPerSecond));
      });
  });
}

Error writeCeilings(StringRef path, const Ceilings &ceilings) {
  std::string text;
  raw_string_ostream os(text);
  json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("version", version);
    json.attribute("cpu", ceilings.cpu);
    json.attributeArray("threads", [&] {
      for (const ThreadCeilings &entry : ceilings.threads)
        json.object([&] {
          json.attribute("threads", entry.threads);
          json.attribute("gflops", round(entry.gigaflops));
          writeBandwidths(json, "read", entry.read);
          writeBandwidths(json, "copy", entry.copy);
        });
    });
  });
  os << '\n';
  StringRef folder = sys::path::parent_path(path);
  if (!folder.empty())
    if (std::error_code code = sys::fs::create_directories(folder))
      return createStringError("cannot create '" + folder +
                               "': " + code.message());
  return writeOutputFile(path, text);
}

} // namespace hamkaas
