// Compiles a model and prints the size of its workspace.
#include "HamKaas/Driver/Compiler.h"
#include "HamKaas/Driver/Model.h"
#include "HamKaas/Driver/Registration.h"
#include "mlir/IR/MLIRContext.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  hamkaas::registerDialects(registry);
  mlir::MLIRContext context(registry);
  llvm::SourceMgr sources;
  auto buffer = llvm::MemoryBuffer::getFile(argv[1]);
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  auto model = hamkaas::parseModel(sources, &context, {});
  auto program = hamkaas::compileModel(*model, {});
  if (!program)
    return hamkaas::reportError(program.takeError(), "consumer");
  llvm::outs() << "workspace: " << program->info.workspaceBytes << " bytes\n";
  return 0;
}
