
#include "HamKaas/Driver/Registration.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  hamkaas::registerDialects(registry);
  hamkaas::registerPasses();
  return mlir::failed(
      mlir::MlirOptMain(argc, argv, "HamKaas optimizer driver\n", registry));
}
