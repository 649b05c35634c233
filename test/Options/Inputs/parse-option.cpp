// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses a command line with the option, and shows what the compiler knows of
// it.
#include "HamKaas/Options/CompileSettings.h"
#include "HamKaas/Options/OptionError.h"
#include "OptionTable.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"

using namespace hamkaas;

static std::string makeKey(const CompileSettings &settings) {
  std::string key;
  llvm::raw_string_ostream stream(key);
  writeKey(settings, stream);
  return key;
}

int main(int argc, char **argv) {
  unsigned index = 0, count = 0;
  llvm::opt::InputArgList list =
      getOptTable().ParseArgs(llvm::ArrayRef<const char *>(argv + 1, argc - 1),
                              index, count, llvm::opt::Visibility(RunTool));
  llvm::StringRef value = list.getLastArgValue(OPT_probe_depth);
  CompileSettings settings;
  const OptionInfo *info = findOption(OPT_probe_depth);
  llvm::outs() << info->flag() << "=" << value << ", default "
               << settings.probeDepth << ": " << info->description << "\n";
  for (Front front : {Front::CommandLine, Front::C, Front::Python}) {
    NamedOption named{OptionId::probe_depth, value.str()};
    llvm::Error error = makeOptionError(OptionId::probe_depth,
                                        OptionText("wrong beside ") << named);
    llvm::outs() << llvm::toString(spellOptions(std::move(error), front))
                 << "\n";
  }
  std::string before = makeKey(settings);
  settings.probeDepth = 3;
  if (makeKey(settings) != before)
    llvm::outs() << "the key depends on it\n";
  return 0;
}
