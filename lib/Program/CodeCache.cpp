//===- CodeCache.cpp - Compiled code that is kept on disk -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Program/CodeCache.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <atomic>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <limits>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace llvm;

namespace hamkaas {
namespace {

using Digest = std::array<uint8_t, 32>;

/// The beginning of an entry: a magic number, the key, the size of the contents
/// and their digest.
constexpr StringLiteral magic = "HKCODE01";
constexpr size_t sizeOffset = magic.size() + sizeof(CodeCache::Key);
constexpr size_t digestOffset = sizeOffset + sizeof(uint64_t);
constexpr size_t headerSize = digestOffset + sizeof(Digest);

constexpr StringLiteral entrySuffix = ".code";
constexpr StringLiteral temporaryPrefix = ".hamkaas-";
/// Seconds after which nobody writes a temporary file any more.
constexpr time_t temporaryAge = 3600;

class FileDescriptor {
public:
  explicit FileDescriptor(int descriptor) : descriptor(descriptor) {}
  FileDescriptor(const FileDescriptor &) = delete;
  FileDescriptor &operator=(const FileDescriptor &) = delete;
  ~FileDescriptor() { close(); }

  int get() const { return descriptor; }
  explicit operator bool() const { return descriptor >= 0; }
  bool close() {
    return descriptor < 0 || ::close(std::exchange(descriptor, -1)) == 0;
  }

private:
  int descriptor;
};

std::string entryName(const CodeCache::Key &key) {
  return toHex(key, /*LowerCase=*/true) + entrySuffix.str();
}

bool isEntryName(StringRef name) {
  return name.consume_back(entrySuffix) &&
         name.size() == 2 * sizeof(CodeCache::Key) && all_of(name, isHexDigit);
}

/// Returns whether nobody but the user, and root, can have written it.
bool isOurs(const struct stat &status) {
  return status.st_uid == geteuid() && (status.st_mode & 022) == 0;
}

std::string makeHeader(const CodeCache::Key &key, StringRef contents) {
  std::string header = magic.str();
  header.append(reinterpret_cast<const char *>(key.data()), key.size());
  char size[sizeof(uint64_t)];
  support::endian::write64le(size, contents.size());
  header.append(size, sizeof(size));
  Digest digest = BLAKE3::hash<32>(arrayRefFromStringRef(contents));
  header.append(reinterpret_cast<const char *>(digest.data()), digest.size());
  return header;
}

/// Returns whether `entry` is what `store` wrote for `key`.
bool isIntact(const CodeCache::Key &key, StringRef entry) {
  return entry.size() >= headerSize &&
         entry.starts_with(makeHeader(key, entry.drop_front(headerSize)));
}

bool writeAll(int descriptor, StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return false;
    bytes = bytes.drop_front(written);
  }
  return true;
}

struct Entry {
  struct timespec used;
  uint64_t bytes;
  std::string name;
};

/// The entries of a directory, which may contain other files. Removes the files
/// of writers that did not finish.
std::vector<Entry> listEntries(int directory) {
  std::vector<Entry> entries;
  int listed = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (listed < 0)
    return entries;
  DIR *stream = fdopendir(listed);
  if (!stream) {
    ::close(listed);
    return entries;
  }
  while (struct dirent *item = readdir(stream)) {
    StringRef name = item->d_name;
    struct stat status;
    if (fstatat(directory, item->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode))
      continue;
    if (isEntryName(name))
      entries.push_back({status.st_mtim, uint64_t(status.st_size), name.str()});
    else if (name.starts_with(temporaryPrefix) &&
             status.st_mtim.tv_sec + temporaryAge < time(nullptr))
      unlinkat(directory, item->d_name, 0);
  }
  closedir(stream);
  return entries;
}

std::optional<std::string> getVariable(const char *name) {
  // Not in a program that runs with more rights than its caller's.
  const char *value = secure_getenv(name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}

std::string getDirectory() {
  if (std::optional<std::string> directory = getVariable("HAMKAAS_CACHE_DIR"))
    return *directory;
  SmallString<128> path(getVariable("XDG_CACHE_HOME").value_or(""));
  // The specification of XDG has relative paths ignored.
  if (!sys::path::is_absolute(path)) {
    path = getVariable("HOME").value_or("");
    if (!sys::path::is_absolute(path))
      return "";
    sys::path::append(path, ".cache");
  }
  sys::path::append(path, "hamkaas");
  return path.str().str();
}

} // namespace

std::optional<uint64_t> parseByteCount(StringRef text) {
  unsigned shift = 0;
  for (auto [suffix, bits] :
       {std::pair("KB", 10u), std::pair("MB", 20u), std::pair("GB", 30u)})
    if (text.consume_back_insensitive(suffix))
      shift = bits;
  uint64_t value = 0;
  if (text.getAsInteger(10, value) ||
      value > (uint64_t(std::numeric_limits<int64_t>::max()) >> shift))
    return std::nullopt;
  return value << shift;
}

Expected<CodeCacheOptions> getCodeCacheOptions() {
  CodeCacheOptions options;
  options.directory = getDirectory();
  if (std::optional<std::string> size = getVariable("HAMKAAS_CACHE_SIZE")) {
    std::optional<uint64_t> bytes = parseByteCount(*size);
    if (!bytes)
      return createStringError("HAMKAAS_CACHE_SIZE: expected a number of bytes "
                               "such as 4096, 64KB or 2MB, got '" +
                               *size + "'");
    options.maxBytes = *bytes;
  }
  return options;
}

std::optional<CodeCache> CodeCache::open(const CodeCacheOptions &options) {
  if (options.directory.empty())
    return std::nullopt;
  // An error shows when it is opened.
  (void)sys::fs::create_directories(sys::path::parent_path(options.directory),
                                    /*IgnoreExisting=*/true,
                                    sys::fs::owner_all);
  (void)mkdir(options.directory.c_str(), 0700);
  FileDescriptor opened(
      ::open(options.directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat status;
  if (!opened || fstat(opened.get(), &status) != 0 || !isOurs(status))
    return std::nullopt;
  int own = fcntl(opened.get(), F_DUPFD_CLOEXEC, 0);
  if (own < 0)
    return std::nullopt;
  return CodeCache(own, options.maxBytes);
}

CodeCache::CodeCache(CodeCache &&other)
    : directory(std::exchange(other.directory, -1)), maxBytes(other.maxBytes) {}

CodeCache::~CodeCache() {
  if (directory >= 0)
    ::close(directory);
}

std::unique_ptr<MemoryBuffer> CodeCache::lookup(const Key &key) const {
  std::string name = entryName(key);
  FileDescriptor file(openat(directory, name.c_str(),
                             O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status;
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      !isOurs(status))
    return nullptr;
  // NOTE: volatile, or it is mapped: then it might change after the check.
  ErrorOr<std::unique_ptr<MemoryBuffer>> entry =
      MemoryBuffer::getOpenFile(file.get(), name, status.st_size,
                                /*RequiresNullTerminator=*/false,
                                /*IsVolatile=*/true);
  if (!entry)
    return nullptr;
  if (!isIntact(key, (*entry)->getBuffer())) {
    unlinkat(directory, name.c_str(), 0);
    return nullptr;
  }
  // The time of the last use, by which the oldest is known.
  futimens(file.get(), nullptr);
  return MemoryBuffer::getMemBufferCopy(
      (*entry)->getBuffer().drop_front(headerSize), name);
}

bool CodeCache::write(const std::string &name, StringRef contents) const {
  FileDescriptor file(openat(directory, name.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  return file && writeAll(file.get(), contents) && file.close();
}

void CodeCache::store(const Key &key, StringRef contents) const {
  if (contents.size() + headerSize > maxBytes)
    return;
  static std::atomic<unsigned> counter{0};
  std::string temporary = temporaryPrefix.str() + std::to_string(getpid()) +
                          "-" + std::to_string(counter.fetch_add(1));
  if (!write(temporary, makeHeader(key, contents) + contents.str()) ||
      renameat(directory, temporary.c_str(), directory,
               entryName(key).c_str()) != 0) {
    unlinkat(directory, temporary.c_str(), 0);
    return;
  }
  removeOldest();
}

void CodeCache::removeOldest() const {
  std::vector<Entry> entries = listEntries(directory);
  uint64_t total = 0;
  for (const Entry &entry : entries)
    total += entry.bytes;
  llvm::sort(entries, [](const Entry &a, const Entry &b) {
    return std::tie(a.used.tv_sec, a.used.tv_nsec, a.name) <
           std::tie(b.used.tv_sec, b.used.tv_nsec, b.name);
  });
  for (const Entry &entry : entries) {
    if (total <= maxBytes)
      return;
    unlinkat(directory, entry.name.c_str(), 0);
    total -= entry.bytes;
  }
}

} // namespace hamkaas
