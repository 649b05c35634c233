//===- TemporaryFolder.h - Files for a test ---------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TEST_UNIT_RUNTIME_TEMPORARYFOLDER_H
#define HAMKAAS_TEST_UNIT_RUNTIME_TEMPORARYFOLDER_H

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <stdlib.h>
#include <string>

namespace hamkaas::test {

/// An empty folder that is removed with all in it.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern = ::testing::TempDir() + "hamkaas-XXXXXX";
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder() { std::filesystem::remove_all(folder); }

  std::string path(const std::string &name) const {
    return (folder / name).string();
  }

  std::string write(const std::string &name, const std::string &contents) {
    std::ofstream(path(name), std::ios::binary) << contents;
    return path(name);
  }

  std::string read(const std::string &name) const {
    std::ifstream stream(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  size_t fileCount() const {
    std::filesystem::directory_iterator files(folder);
    return static_cast<size_t>(
        std::distance(files, std::filesystem::directory_iterator()));
  }

private:
  std::filesystem::path folder;
};

} // namespace hamkaas::test

#endif // HAMKAAS_TEST_UNIT_RUNTIME_TEMPORARYFOLDER_H
