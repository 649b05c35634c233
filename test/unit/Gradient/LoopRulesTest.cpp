//===- LoopRulesTest.cpp - Loops against finite differences -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RulesTest.h"

using namespace mlir;
using namespace hamkaas;

namespace {

/// The cases of RulesTest hold for loops: `%y` is all results, one behind the
/// other.
const char *const recurrence = R"(
  %h, %all = hamkaas.scan 3 from(%a) over(%b) with(%c, %d)
      : (tensor<2xf64>, tensor<3x4xf64>, tensor<4x2xf64>, tensor<2x2xf64>)
      -> (tensor<2xf64>, tensor<3x2xf64>) {
  ^bb0(%s: tensor<2xf64>, %x: tensor<4xf64>, %w: tensor<4x2xf64>,
       %u: tensor<2x2xf64>):
    %0 = hamkaas.matmul %x, %w : tensor<4xf64>, tensor<4x2xf64>
    %1 = hamkaas.matmul %s, %u : tensor<2xf64>, tensor<2x2xf64>
    %2 = hamkaas.add %0, %1 : tensor<2xf64>, tensor<2xf64>
    %3 = hamkaas.tanh %2 : tensor<2xf64>
    %4 = hamkaas.mul %3, %s : tensor<2xf64>, tensor<2xf64>
    hamkaas.yield %3, %4 : tensor<2xf64>, tensor<2xf64>
  }
  %flat = hamkaas.reshape %all : tensor<3x2xf64> -> tensor<6xf64>
  %y = hamkaas.concat %h, %flat dim 0 : tensor<2xf64>, tensor<6xf64>)";

std::string replace(std::string text, const std::string &from,
                    const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

const std::vector<std::string> recurrent = {"2xf64", "3x4xf64", "4x2xf64",
                                            "2x2xf64"};

INSTANTIATE_TEST_SUITE_P(
    Recurrences, RulesTest,
    ::testing::Values(
        RuleCase{recurrence, recurrent},
        RuleCase{replace(recurrence, "scan 3", "scan 3 reversed"), recurrent},
        // One step.
        RuleCase{replace(replace(replace(recurrence, "scan 3", "scan 1"), "3x",
                                 "1x"),
                         "6x", "2x"),
                 {"2xf64", "1x4xf64", "4x2xf64", "2x2xf64"}},
        // Only the last iter arg is read, and only the rows.
        RuleCase{replace(recurrence,
                         "%flat dim 0 : tensor<2xf64>, "
                         "tensor<6xf64>",
                         "%h dim 0 : tensor<2xf64>, tensor<2xf64>"),
                 recurrent},
        RuleCase{replace(recurrence, "%h, %flat dim 0 : tensor<2xf64>, ",
                         "%flat, %flat dim 0 : tensor<6xf64>, "),
                 recurrent}));

INSTANTIATE_TEST_SUITE_P(IterArgs, RulesTest,
                         ::testing::Values(
                             // Integers count, pick rows, and are read by
                             // nothing that has a gradient otherwise.
                             RuleCase{R"(
  %n, %s = hamkaas.scan 4 from(%b, %c) over() with(%a)
      : (tensor<i64>, tensor<2xf64>, tensor<3x2xf64>)
      -> (tensor<i64>, tensor<2xf64>) {
  ^bb0(%i: tensor<i64>, %old: tensor<2xf64>, %table: tensor<3x2xf64>):
    %one = hamkaas.constant dense<1> : tensor<i64>
    %three = hamkaas.constant dense<3> : tensor<i64>
    %row = hamkaas.gather %table, %i dim 0 : tensor<3x2xf64>, tensor<i64>
    %next = hamkaas.add %i, %one : tensor<i64>, tensor<i64>
    %wrapped = hamkaas.rem %next, %three : tensor<i64>, tensor<i64>
    %product = hamkaas.mul %old, %row : tensor<2xf64>, tensor<2xf64>
    %sum = hamkaas.add %product, %row : tensor<2xf64>, tensor<2xf64>
    hamkaas.yield %wrapped, %sum : tensor<i64>, tensor<2xf64>
  }
  %y = hamkaas.exp %s : tensor<2xf64>)",
                                      {"3x2xf64", "i64", "2xf64"}},
                             // Two that change places, one that is overwritten,
                             // one that stays, and results that nothing reads.
                             RuleCase{R"(
  %r:6 = hamkaas.scan 3 from(%a, %b, %a, %b) over(%c) with(%b, %b)
      : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>,
         tensor<3x2xf64>, tensor<2xf64>, tensor<2xf64>)
      -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>,
          tensor<3x2xf64>, tensor<3x2xf64>) {
  ^bb0(%s: tensor<2xf64>, %t: tensor<2xf64>, %u: tensor<2xf64>,
       %v: tensor<2xf64>, %x: tensor<2xf64>, %p: tensor<2xf64>,
       %q: tensor<2xf64>):
    %0 = hamkaas.mul %s, %p : tensor<2xf64>, tensor<2xf64>
    %1 = hamkaas.mul %t, %q : tensor<2xf64>, tensor<2xf64>
    %2 = hamkaas.mul %x, %v : tensor<2xf64>, tensor<2xf64>
    hamkaas.yield %1, %0, %2, %v, %u, %1 : tensor<2xf64>, tensor<2xf64>,
      tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>
  }
  %0 = hamkaas.reshape %r#4 : tensor<3x2xf64> -> tensor<6xf64>
  %y = hamkaas.concat %r#0, %r#2, %r#3, %0 dim 0 : tensor<2xf64>,
    tensor<2xf64>, tensor<2xf64>, tensor<6xf64>)",
                                      {"2xf64", "2xf64", "3x2xf64"}},
                             // No iter args: each row for itself.
                             RuleCase{R"(
  %0 = hamkaas.scan 3 from() over(%a) with(%b)
      : (tensor<3x2xf64>, tensor<2xf64>) -> tensor<3xf64> {
  ^bb0(%x: tensor<2xf64>, %w: tensor<2xf64>):
    %0 = hamkaas.mul %x, %w : tensor<2xf64>, tensor<2xf64>
    %1 = hamkaas.reduce sum %0 over [0] : tensor<2xf64>
    %2 = hamkaas.sin %1 : tensor<f64>
    hamkaas.yield %2 : tensor<f64>
  }
  %y = hamkaas.mul %0, %0 : tensor<3xf64>, tensor<3xf64>)",
                                      {"3x2xf64", "2xf64"}},
                             // A loop of which another one reads all results.
                             RuleCase{R"(
  %last, %rows = hamkaas.scan 3 from(%a) over(%b) with()
      : (tensor<f64>, tensor<3xf64>) -> (tensor<f64>, tensor<3xf64>) {
  ^bb0(%s: tensor<f64>, %x: tensor<f64>):
    %0 = hamkaas.mul %s, %x : tensor<f64>, tensor<f64>
    %1 = hamkaas.sin %0 : tensor<f64>
    hamkaas.yield %1, %s : tensor<f64>, tensor<f64>
  }
  %y = hamkaas.scan 3 reversed from(%last) over(%rows) with(%last)
      : (tensor<f64>, tensor<3xf64>, tensor<f64>) -> tensor<f64> {
  ^bb0(%s: tensor<f64>, %x: tensor<f64>, %w: tensor<f64>):
    %0 = hamkaas.mul %s, %x : tensor<f64>, tensor<f64>
    %1 = hamkaas.add %0, %w : tensor<f64>, tensor<f64>
    %2 = hamkaas.cos %1 : tensor<f64>
    hamkaas.yield %2 : tensor<f64>
  })",
                                      {"f64", "3xf64"}}));

/// A weight that a step multiplies two matrices by, and with `%other` one that
/// it reads in another way, too.
const char *const weights = R"(
  %h = hamkaas.scan 3 from(%a) over(%b) with(%c)
      : (tensor<2x3xf64>, tensor<3x2x3xf64>, tensor<3x3xf64>)
      -> tensor<2x3xf64> {
  ^bb0(%s: tensor<2x3xf64>, %x: tensor<2x3xf64>, %w: tensor<3x3xf64>):
    %0 = hamkaas.matmul %x, %w : tensor<2x3xf64>, tensor<3x3xf64>
    %1 = hamkaas.mul %0, %s : tensor<2x3xf64>, tensor<2x3xf64>
    %2 = hamkaas.matmul %1, %w : tensor<2x3xf64>, tensor<3x3xf64>
    %3 = hamkaas.add %2, %0 : tensor<2x3xf64>, tensor<2x3xf64>
    %4 = hamkaas.slice %w[1, 3] : tensor<3x3xf64>
    %5 = hamkaas.add %3, %other : tensor<2x3xf64>, tensor<2x3xf64>
    %6 = hamkaas.sin %5 : tensor<2x3xf64>
    hamkaas.yield %6 : tensor<2x3xf64>
  }
  %y = hamkaas.mul %h, %h : tensor<2x3xf64>, tensor<2x3xf64>)";

INSTANTIATE_TEST_SUITE_P(
    Weights, RulesTest,
    ::testing::Values(
        RuleCase{replace(replace(weights, "%other", "%x"),
                         "    %4 = hamkaas.slice %w[1, 3] : tensor<3x3xf64>\n",
                         ""),
                 {"2x3xf64", "3x2x3xf64", "3x3xf64"}},
        RuleCase{replace(weights, "%other", "%4"),
                 {"2x3xf64", "3x2x3xf64", "3x3xf64"}}));

/// The inner loop reads what is around the outer one, and is its row.
const char *const nested = R"(
  %s, %all = hamkaas.scan 3 from(%a) over(%b) with(%c)
      : (tensor<2xf64>, tensor<3x2xf64>, tensor<2xf64>)
      -> (tensor<2xf64>, tensor<3x2xf64>) {
  ^bb0(%s: tensor<2xf64>, %x: tensor<2xf64>, %w: tensor<2xf64>):
    %0, %1 = hamkaas.scan 2 from(%s) over() with(%x, %w)
        : (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>)
        -> (tensor<2xf64>, tensor<2x2xf64>) {
    ^bb0(%t: tensor<2xf64>, %v: tensor<2xf64>, %u: tensor<2xf64>):
      %0 = hamkaas.mul %t, %u : tensor<2xf64>, tensor<2xf64>
      %1 = hamkaas.add %0, %v : tensor<2xf64>, tensor<2xf64>
      %2 = hamkaas.tanh %1 : tensor<2xf64>
      hamkaas.yield %2, %1 : tensor<2xf64>, tensor<2xf64>
    }
    %2 = hamkaas.reduce sum %1 over [0] : tensor<2x2xf64>
    %3 = hamkaas.mul %0, %2 : tensor<2xf64>, tensor<2xf64>
    hamkaas.yield %3, %3 : tensor<2xf64>, tensor<2xf64>
  }
  %y = hamkaas.sin %all : tensor<3x2xf64>)";

INSTANTIATE_TEST_SUITE_P(
    Nested, RulesTest,
    ::testing::Values(
        RuleCase{nested, {"2xf64", "3x2xf64", "2xf64"}},
        // One step of the inner one, and of the outer one.
        RuleCase{replace(replace(nested, "scan 2", "scan 1"), "2x2x", "1x2x"),
                 {"2xf64", "3x2xf64", "2xf64"}},
        RuleCase{replace(replace(nested, "scan 3", "scan 1"), "3x2x", "1x2x"),
                 {"2xf64", "1x2xf64", "2xf64"}}));

} // namespace
