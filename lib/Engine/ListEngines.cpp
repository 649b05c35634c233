//===- ListEngines.cpp - The engines of this machine as text --------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Engine/ListEngines.h"
#include "HamKaas/Engine/OwnEngine.h"
#include "HamKaas/Support/TextTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Signals.h"
#include <cstring>
#include <unistd.h>

using namespace llvm;
using namespace hamkaas;

/// "needs libopenblas.so.0, allocates"
static std::string formatNotes(const HamKaasEngine &engine) {
  SmallVector<std::string> notes;
  if (engine.notes & HamKaasEngineNeedsLibrary)
    notes.push_back(std::string("needs ") +
                    (engine.needs ? engine.needs : "another library"));
  if (!(engine.notes & HamKaasEngineBitExact))
    notes.push_back("bits depend on threads");
  if (engine.notes & HamKaasEngineAllocates)
    notes.push_back("allocates in a run");
  if (engine.notes & HamKaasEngineOwnThreads)
    notes.push_back("threads of its own");
  return join(notes, ", ");
}

/// "rows=16 (1 to 1048576)", without spaces between knobs.
static std::string formatKnob(const HamKaasEngineKnob &knob) {
  std::string text;
  raw_string_ostream stream(text);
  stream << knob.id << '=';
  if (knob.kind == HamKaasEngineInteger)
    stream << knob.integer << " (" << knob.minimum << " to " << knob.maximum
           << ')';
  else if (knob.kind == HamKaasEngineNumber)
    stream << format("%g (%g to %g)", knob.number, knob.leastNumber,
                     knob.greatestNumber);
  else
    stream << knob.text << " ("
           << join(ArrayRef(knob.choices, size_t(knob.choiceCount)), ", ")
           << ')';
  if (knob.description)
    stream << ": " << knob.description;
  return text;
}

static void addEngine(const HamKaasEngine &engine, std::string library,
                      TextTable &table) {
  table.addRow({engine.id, std::move(library),
                engine.description ? engine.description : "",
                formatNotes(engine)});
  for (const HamKaasEngineKnob &knob :
       ArrayRef(engine.knobs, size_t(engine.knobCount)))
    table.addRow({"", "", "  " + formatKnob(knob), ""});
}

void hamkaas::printEngines(const EngineHost &host, raw_ostream &stream) {
  stream << "engines\n";
  TextTable table("llll");
  table.addRow({"id", "library", "computes", "notes"});
  addEngine(getOwnEngine(), /*library=*/"", table);
  for (const EngineFile &file : host.getFiles())
    for (int32_t i = 0;
         file.problem.empty() && i < file.library.table->engineCount; ++i)
      addEngine(*file.library.table->engines[i],
                std::string(file.library.table->name) + " " +
                    file.library.table->libraryVersion,
                table);
  table.print(stream);
  stream << "\nfiles, in the order of the search\n";
  TextTable files("ll");
  for (const EngineFile &file : host.getFiles())
    files.addRow(
        {file.path, file.problem.empty() ? "" : "skipped: " + file.problem});
  files.print(stream);
}

//===----------------------------------------------------------------------===//
// Crashes
//===----------------------------------------------------------------------===//

static void write(const char *text) {
  // Nothing can be done about a failure here.
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, text, strlen(text));
}

static thread_local rt::AskedEngine asked;

static void nameEngine(void *) {
  auto [engine, path, call] = asked;
  if (!path)
    return;
  write("error: crashed in ");
  if (engine) {
    write("engine '");
    write(engine);
    write("' of ");
  }
  write(path);
  write(": ");
  write(call);
  write("\n");
}

void hamkaas::nameCrashingEngines() {
  rt::engineWatch = [](rt::AskedEngine next) { asked = next; };
  sys::AddSignalHandler(nameEngine, nullptr);
}
