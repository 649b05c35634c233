//===- TargetRegistry.h - What a program can be compiled for ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TARGET_TARGETREGISTRY_H
#define HAMKAAS_TARGET_TARGETREGISTRY_H

#include "HamKaas/Dialect/HamKaas/IR/Target.h"
#include "HamKaas/Options/CompileSettings.h"
#include "HamKaas/Options/OptionError.h"
#include "HamKaas/Program/ProgramInfo.h"
#include "HamKaas/Target/EmitCode.h"
#include "hamkaas-c/Engine.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace hamkaas {

struct PipelineOptions;

/// One kind of machine: how a graph becomes code for it. A target has no state;
/// the chip and the precision are those of the TargetAttr that it is given.
class Target {
public:
  constexpr explicit Target(llvm::StringLiteral name) : name(name) {}

  /// As `--target` and TargetAttr have it.
  llvm::StringRef getName() const { return name; }

  /// The options that only this target takes.
  virtual llvm::ArrayRef<OptionId> getOptions() const = 0;
  /// The precisions that it offers.
  virtual llvm::ArrayRef<Precision> getPrecisions() const;
  /// Where engine libraries compute its kernels; nothing if they cannot.
  virtual std::optional<HamKaasEngineDevice> getEngineDevice() const {
    return std::nullopt;
  }

  //===--------------------------------------------------------------------===//
  // The attribute
  //===--------------------------------------------------------------------===//

  /// The attribute for what `settings` ask of this target.
  virtual llvm::Expected<TargetAttr>
  select(const CompileSettings &settings, mlir::MLIRContext *context) const = 0;

  /// Checks the chip; the precision is one of getPrecisions().
  virtual llvm::LogicalResult
  verify(TargetAttr target,
         llvm::function_ref<mlir::InFlightDiagnostic()> emitError) const = 0;

  /// The facts that emitters ask for; null if there is no such chip.
  virtual const TargetDescription *describe(TargetAttr target) const = 0;

  //===--------------------------------------------------------------------===//
  // The pipelines, in their order
  //===--------------------------------------------------------------------===//

  /// Lets tools know the passes and pipelines that are this target's own.
  virtual void registerPasses() const {}

  /// GRAPH -> KERNELS. Targets share it but for addGroupPasses, computesRows,
  /// repeatsLeftSides, narrowsProducts, multipliesBytes, widensKeys,
  /// getTransformedBytes, getTransformedElementCost, getPlanarLanes,
  /// splitsWindows and getDotDepth.
  void buildKernelsPipeline(mlir::OpPassManager &manager, TargetAttr target,
                            const PipelineOptions &options) const;

  /// KERNELS -> PLANNED, by the emitters that all targets share. A target with
  /// emitters of its own runs them before.
  virtual void buildPlannedPipeline(mlir::OpPassManager &manager,
                                    const PipelineOptions &options) const;

  /// PLANNED -> kernels are outlined to device code. Nothing where kernels are
  /// functions of the program.
  virtual void buildDevicePipeline(mlir::OpPassManager &manager) const {}

  /// PLANNED, or outlined kernels -> dialects that are translated to LLVM IR.
  virtual void buildLlvmPipeline(mlir::OpPassManager &manager) const = 0;

  //===--------------------------------------------------------------------===//
  // The program
  //===--------------------------------------------------------------------===//

  /// The ISA level that the host's code needs; none if any will do.
  virtual std::optional<TargetCpu> getHost(TargetAttr target) const {
    return std::nullopt;
  }

  /// Finds the tools that code is made with; an error if one is missing. The
  /// text is part of the key of the code cache.
  virtual llvm::Expected<std::string> findTools(TargetAttr target) const {
    return "";
  }

  /// Adds this target to `info`. `module` is the result of
  /// buildDevicePipeline.
  virtual void describeProgram(mlir::ModuleOp module, TargetAttr target,
                               ProgramInfo &info) const = 0;

  /// Compiles the result of buildLlvmPipeline, which is of no use afterwards.
  virtual llvm::Expected<ProgramObjects>
  emitObjects(mlir::ModuleOp module, TargetAttr target, const TargetCpu &host,
              ProgramInfo &info, const KernelProgress &progress) const = 0;

  /// The text of the device code in the result of buildLlvmPipeline.
  virtual llvm::Expected<std::string> printDeviceCode(mlir::ModuleOp module,
                                                      TargetAttr target) const;

protected:
  ~Target() = default;

  /// Returns whether kernels compute the left side of a product of one row.
  virtual bool computesRows(const PipelineOptions &options) const {
    return false;
  }

  /// Returns whether kernels read one left side for all products of a batch.
  virtual bool repeatsLeftSides(const PipelineOptions &options) const {
    return false;
  }

  /// Returns whether padded copies of images also permute them.
  virtual bool permutesInCopies(const PipelineOptions &options) const {
    return false;
  }

  /// Returns whether kernels of rows read them along an outer dimension.
  virtual bool readsRowsAcross(const PipelineOptions &options) const {
    return false;
  }

  /// Returns whether products compute their right sides from codes of few bits.
  virtual bool unpacksInProducts(const PipelineOptions &options) const {
    return false;
  }

  /// Returns whether products widen right sides of 16-bit floats, which the
  /// precision may make of float32.
  virtual bool narrowsWeights(const PipelineOptions &options) const {
    return false;
  }

  /// Returns whether the contraction emitter multiplies 16-bit integers.
  virtual bool narrowsProducts(const PipelineOptions &options) const {
    return false;
  }

  /// Returns whether it multiplies bytes, too.
  virtual bool multipliesBytes(TargetAttr target,
                               const PipelineOptions &options) const {
    return false;
  }

  /// Returns whether attention of many queries widens keys and values.
  virtual bool widensKeys(const PipelineOptions &options) const {
    return false;
  }

  /// The most bytes of images that Winograd's method transforms at once; 0 for
  /// any number.
  virtual uint64_t getTransformedBytes(const PipelineOptions &options) const {
    return 0;
  }

  /// The multiply-adds in the time that such an image takes per element; 0 if
  /// it is unknown.
  virtual double
  getTransformedElementCost(TargetAttr target,
                            const PipelineOptions &options) const {
    return 0;
  }

  /// The elements of a vector where convolutions to fewer channels than that
  /// have lanes of positions; 0 where they do not.
  virtual int64_t getPlanarLanes(TargetAttr target,
                                 const PipelineOptions &options) const {
    return 0;
  }

  /// Returns whether maxima of large windows are computed along one dimension
  /// after the other.
  virtual bool splitsWindows(const PipelineOptions &options) const {
    return false;
  }

  /// The depth from which products of several rows with rows are contractions;
  /// 0 if they never are.
  virtual int64_t getDotDepth(TargetAttr target,
                              const PipelineOptions &options) const {
    return 0;
  }

  /// Adds passes on groups of linalg operations.
  virtual void addGroupPasses(mlir::OpPassManager &manager,
                              const PipelineOptions &options) const {}

private:
  /// Adds the passes that give operations of GRAPH to engine libraries, before
  /// anything else is done with them.
  void addEngineGroups(mlir::OpPassManager &manager, TargetAttr target,
                       const PipelineOptions &options) const;

  llvm::StringLiteral name;
};

/// Those of `known` that `names` lists, such as "cpu,cuda", in the order of
/// `known`.
llvm::Expected<llvm::SmallVector<const Target *>>
parseTargets(llvm::StringRef names, llvm::ArrayRef<const Target *> known);

/// An error if none of the targets of `known` that `names` lists has an option.
llvm::Error checkTargetOption(OptionId option, llvm::StringRef names,
                              llvm::ArrayRef<const Target *> known);

/// The targets that a context knows.
class TargetRegistry : public TargetsInterface {
public:
  explicit TargetRegistry(mlir::Dialect *dialect) : TargetsInterface(dialect) {}

  static TargetRegistry &get(mlir::MLIRContext *context);

  /// `target` outlives the context.
  void add(const Target &target) { targets.push_back(&target); }

  /// Null if there is none of that name.
  const Target *lookup(llvm::StringRef name) const;

  /// The attributes for the targets of `settings`, in the order of
  /// registration.
  llvm::Expected<llvm::SmallVector<TargetAttr>>
  select(const CompileSettings &settings, mlir::MLIRContext *context) const;

  llvm::LogicalResult verify(
      TargetAttr target,
      llvm::function_ref<mlir::InFlightDiagnostic()> emitError) const override;
  const TargetDescription *describe(TargetAttr target) const override;

private:
  llvm::SmallVector<const Target *> targets;
};

/// Sets the target of `module`. An error if it has another one.
llvm::LogicalResult attachTarget(mlir::ModuleOp module, TargetAttr target);

} // namespace hamkaas

#endif // HAMKAAS_TARGET_TARGETREGISTRY_H
