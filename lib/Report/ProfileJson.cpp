//===- ProfileJson.cpp - A profile for machines -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Report/Profile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace hamkaas;

/// JSON must be valid UTF-8, which names of tensors and files need not be.
static std::string makeText(const std::string &text) {
  return llvm::json::isUTF8(text) ? text : llvm::json::fixUTF8(text);
}

/// Facts that are the same in all runs.
static void writeCall(llvm::json::OStream &json, size_t index,
                      const CallInfo &call, const CallTimes &times) {
  json.attribute("call", int64_t(index));
  json.attribute("kernel", makeText(call.kernel));
  json.attribute("family", makeText(call.family));
  if (!call.engine.empty())
    json.attribute("engine", makeText(call.engine));
  json.attribute("computes", makeText(call.ops));
  json.attribute("source", makeText(call.location));
  json.attribute("repetitions", call.repetitions);
  json.attribute("flops", call.flops);
  json.attribute("bytes", call.bytes);
  json.attribute("medianMicroseconds", 1e-3 * times.median);
  json.attribute("leastMicroseconds", 1e-3 * times.least);
  if (times.median > 0) {
    json.attribute("gflops", call.flops / times.median);
    json.attribute("gbs", call.bytes / times.median);
  }
  if (times.ceiling > 0 && times.median > 0) {
    json.attribute("percentOfCeiling", 100 * times.ceiling / times.median);
    json.attribute("ceiling", times.isComputeBound ? "compute" : "memory");
  }
}

static void writeRuns(llvm::json::OStream &json, const Profile &profile) {
  std::vector<uint64_t> times;
  for (const ProfiledRun &run : profile.getRuns())
    times.push_back(run.nanoseconds);
  llvm::sort(times);
  json.attribute("runs", int64_t(times.size()));
  if (times.empty())
    return;
  json.attribute("medianMicroseconds", 1e-3 * times[times.size() / 2]);
  json.attribute("leastMicroseconds", 1e-3 * times.front());
}

void hamkaas::printProfileJson(const Profile &profile, llvm::raw_ostream &os) {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("name", makeText(profile.info.name));
    json.attribute("targetCpu", makeText(profile.info.targetCpu));
    if (profile.gpu.empty())
      json.attribute("threads", profile.threads);
    else
      json.attribute("device", profile.gpu);
    writeRuns(json, profile);
    json.attributeArray("calls", [&] {
      for (auto [i, call, times] :
           llvm::enumerate(profile.info.calls, profile.getTimes()))
        json.object([&, i = i, &call = call, &times = times] {
          writeCall(json, i, call, times);
        });
    });
  });
  os << "\n";
}

//===----------------------------------------------------------------------===//
// Trace events
//===----------------------------------------------------------------------===//

/// A complete event: it has a beginning and a duration.
static void writeEvent(llvm::json::OStream &json, llvm::StringRef name,
                       llvm::StringRef category, uint64_t begin,
                       uint64_t nanoseconds,
                       llvm::function_ref<void()> writeArguments) {
  json.object([&] {
    json.attribute("name", name);
    json.attribute("cat", category);
    json.attribute("ph", "X");
    json.attribute("ts", 1e-3 * begin);
    json.attribute("dur", 1e-3 * nanoseconds);
    json.attribute("pid", 1);
    json.attribute("tid", 1);
    json.attributeObject("args", writeArguments);
  });
}

static void writeRun(llvm::json::OStream &json, const Profile &profile,
                     llvm::ArrayRef<CallTimes> times, size_t index) {
  const ProfiledRun &run = profile.getRuns()[index];
  writeEvent(json, "run " + std::to_string(index), "run", run.begin,
             run.nanoseconds, [] {});
  uint64_t begin = run.begin;
  for (auto [i, nanoseconds] : llvm::enumerate(run.calls)) {
    const CallInfo &call = profile.info.calls[i];
    writeEvent(json, makeText(call.ops), makeText(call.family), begin,
               nanoseconds, [&, i = i] { writeCall(json, i, call, times[i]); });
    begin += nanoseconds;
  }
}

void hamkaas::printProfileTrace(const Profile &profile, llvm::raw_ostream &os) {
  std::vector<CallTimes> times = profile.getTimes();
  llvm::json::OStream json(os, /*IndentSize=*/0);
  json.object([&] {
    json.attribute("displayTimeUnit", "ns");
    json.attributeArray("traceEvents", [&] {
      for (size_t i = 0; i < profile.getRuns().size(); ++i)
        writeRun(json, profile, times, i);
    });
  });
  os << "\n";
}
