//===- IdentifiersTest.cpp - C names from any names -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Program/Identifiers.h"
#include "HamKaas/Program/CHeader.h"
#include "gtest/gtest.h"

using namespace hamkaas;

TEST(IdentifiersTest, MakesModelNames) {
  EXPECT_EQ(modelIdentifier("mnist"), "mnist");
  EXPECT_EQ(modelIdentifier("my-net.v2"), "my_net_v2");
  EXPECT_EQ(modelIdentifier("3layers"), "model_3layers");
  EXPECT_EQ(modelIdentifier("_x"), "model__x");
  EXPECT_EQ(modelIdentifier(""), "model_");
  EXPECT_EQ(modelIdentifier("int"), "int_model");
  EXPECT_EQ(modelIdentifier("main"), "main_model");
  EXPECT_EQ(modelIdentifier("int64_t"), "int64_t_model");
}

// The header of a model includes <stddef.h> and <stdint.h>.
TEST(IdentifiersTest, AvoidsTheNamesOfTheStandardHeaders) {
  ProgramInfo info;
  info.name = "net";
  for (const char *name : {"int64_t", "uint_fast8_t", "uintptr_t", "size_t",
                           "SIZE_MAX", "INT8_MIN", "UINT64_C", "offsetof"})
    info.inputs.push_back({name, HamKaasFloat32, {1}});
  for (const char *name : {"h_t", "int", "int_t", "uint", "max"})
    info.outputs.push_back({name, HamKaasFloat32, {1}});
  Identifiers names(info);
  EXPECT_EQ(names.functions[0].inputs,
            (std::vector<std::string>{
                "int64_t_2", "uint_fast8_t_2", "uintptr_t_2", "size_t_2",
                "SIZE_MAX_2", "INT8_MIN_2", "UINT64_C_2", "offsetof_2"}));
  EXPECT_EQ(names.functions[0].outputs,
            (std::vector<std::string>{"h_t", "int_2", "int_t", "uint", "max"}));
}

TEST(IdentifiersTest, MakesTensorNamesThatDiffer) {
  ProgramInfo info;
  info.name = "net";
  for (const char *name :
       {"x", "X", "x:0", "x/0", "int", "model", "state", "7"})
    info.inputs.push_back({name, HamKaasFloat32, {1}});
  info.outputs = {{"x", HamKaasFloat32, {1}}, {"net", HamKaasFloat32, {1}}};
  info.parameters = {{"threads", HamKaasFloat32, {1}},
                     {"unverified", HamKaasFloat32, {1}},
                     {"x", HamKaasFloat32, {1}}};
  Identifiers names(info);
  EXPECT_EQ(names.functions[0].inputs,
            (std::vector<std::string>{"x", "X_2", "x_0", "x_0_2", "int_2",
                                      "model_2", "state_2", "input_7"}));
  EXPECT_EQ(names.functions[0].outputs,
            (std::vector<std::string>{"x_3", "net_2"}));
  EXPECT_EQ(names.parameters,
            (std::vector<std::string>{"threads_2", "unverified_2", "x"}));
}

// A name of a tensor can hold anything; in the header it must stay a comment.
TEST(IdentifiersTest, CommentsCannotBeLeft) {
  ProgramInfo info;
  info.name = "net";
  info.inputs = {{"a*/ evil /*\n\\", HamKaasInt64, {}}};
  std::string header = cHeader(info, {});
  EXPECT_NE(header.find("\"a?/ evil /???\""), std::string::npos) << header;
  EXPECT_NE(header.find("const int64_t a___evil_____[1]"), std::string::npos)
      << header;
}

TEST(IdentifiersTest, LengthsDoNotOverflow) {
  ProgramInfo info;
  info.name = "net";
  info.inputs = {{"x", HamKaasFloat32, {65536, 65536}}};
  std::string header = cHeader(info, {});
  EXPECT_NE(header.find("x[(size_t)65536 * 65536]"), std::string::npos);
  EXPECT_NE(header.find("#define NET_X_BYTES 17179869184 "), std::string::npos);
}

// C has no type for some, and no way to tell others apart.
TEST(IdentifiersTest, ElementTypesOfC) {
  ProgramInfo info;
  info.name = "net";
  info.inputs = {{"a", HamKaasBool, {2, 3}},
                 {"b", HamKaasFloat16, {4}},
                 {"c", HamKaasInt8, {5}},
                 {"d", HamKaasUInt64, {}},
                 {"e", HamKaasFloat64, {6}}};
  info.outputs = {{"f", HamKaasBFloat16, {7}}, {"g", HamKaasUInt16, {8}}};
  std::string header = cHeader(info, {});
  for (const char *part :
       {"#define NET_A_BYTES 6 /* input \"a\", uint8_t [2][3], a bool, 0 or 1 "
        "*/",
        "#define NET_B_BYTES 8 /* input \"b\", uint16_t [4], the bits of a "
        "float16 */",
        "const uint8_t a[2 * 3]", "const uint16_t b[4]", "const int8_t c[5]",
        "const uint64_t d[1]", "const double e[6]", "    uint16_t f[7]",
        "output \"f\", uint16_t [7], the bits of a bfloat16 */",
        "output \"g\", uint16_t [8] */"})
    EXPECT_NE(header.find(part), std::string::npos) << part << "\n" << header;
}
