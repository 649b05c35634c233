//===- DataObject.cpp - Large constants as an object file -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Program/DataObject.h"
#include "llvm/Object/ELFTypes.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace hamkaas {
namespace {

using Elf = object::ELF64LE;

constexpr uint64_t dataAlignment = 64;

enum SectionIndex : unsigned {
  NullSection,
  DataSection,
  StackNoteSection,
  SymbolSection,
  StringSection,
  SectionCount
};

/// Symbol and section names of one file.
class StringTable {
public:
  uint32_t add(StringRef text) {
    uint32_t offset = contents.size();
    contents.append(text.begin(), text.end());
    contents.push_back('\0');
    return offset;
  }
  StringRef bytes() const { return contents; }

private:
  std::string contents = std::string(1, '\0');
};

template <typename T> StringRef bytesOf(const T *first, size_t count) {
  return StringRef(reinterpret_cast<const char *>(first), count * sizeof(T));
}

Elf::Ehdr fileHeader(uint64_t sectionTable) {
  Elf::Ehdr header = {};
  memcpy(header.e_ident, ELF::ElfMagic, 4);
  header.e_ident[ELF::EI_CLASS] = ELF::ELFCLASS64;
  header.e_ident[ELF::EI_DATA] = ELF::ELFDATA2LSB;
  header.e_ident[ELF::EI_VERSION] = ELF::EV_CURRENT;
  header.e_type = ELF::ET_REL;
  header.e_machine = ELF::EM_X86_64;
  header.e_version = ELF::EV_CURRENT;
  header.e_shoff = sectionTable;
  header.e_ehsize = sizeof(Elf::Ehdr);
  header.e_shentsize = sizeof(Elf::Shdr);
  header.e_shnum = SectionCount;
  header.e_shstrndx = StringSection;
  return header;
}

Elf::Shdr section(uint32_t name, unsigned type, uint64_t offset, uint64_t size,
                  uint64_t alignment) {
  Elf::Shdr header = {};
  header.sh_name = name;
  header.sh_type = type;
  header.sh_offset = offset;
  header.sh_size = size;
  header.sh_addralign = alignment;
  return header;
}

/// The layout of a file, and everything but the data.
struct DataObject {
  std::vector<Elf::Sym> symbols;
  StringTable strings;
  Elf::Shdr sections[SectionCount] = {};
  uint64_t dataOffset = alignTo(sizeof(Elf::Ehdr), dataAlignment);
  uint64_t dataSize = 0;
  uint64_t stringEnd;
  uint64_t tableOffset;

  explicit DataObject(ArrayRef<EmbeddedData> data) {
    addSymbols(data);
    addSections();
  }

  void addSymbols(ArrayRef<EmbeddedData> data);
  void addSections();
  void write(ArrayRef<EmbeddedData> data, raw_ostream &stream) const;
};

/// The null symbol comes first.
void DataObject::addSymbols(ArrayRef<EmbeddedData> data) {
  symbols.push_back(Elf::Sym{});
  for (const EmbeddedData &item : data) {
    Elf::Sym symbol = {};
    symbol.st_name = strings.add(item.symbol);
    symbol.setBindingAndType(ELF::STB_GLOBAL, ELF::STT_OBJECT);
    symbol.st_other = ELF::STV_HIDDEN;
    symbol.st_shndx = DataSection;
    symbol.st_value = dataSize;
    symbol.st_size = item.bytes.size();
    symbols.push_back(symbol);
    dataSize = alignTo(dataSize + item.bytes.size(), dataAlignment);
  }
}

void DataObject::addSections() {
  uint64_t symbolOffset = dataOffset + dataSize;
  uint64_t stringOffset = symbolOffset + symbols.size() * sizeof(Elf::Sym);
  // NOTE: a large section is placed apart from the code, which reaches its own
  // data by 32-bit distances.
  sections[DataSection] =
      section(strings.add(".lrodata.hamkaas"), ELF::SHT_PROGBITS, dataOffset,
              dataSize, dataAlignment);
  sections[DataSection].sh_flags = ELF::SHF_ALLOC | ELF::SHF_X86_64_LARGE;
  // Says that the stack need not be executable.
  sections[StackNoteSection] = section(strings.add(".note.GNU-stack"),
                                       ELF::SHT_PROGBITS, symbolOffset, 0, 1);
  sections[SymbolSection] =
      section(strings.add(".symtab"), ELF::SHT_SYMTAB, symbolOffset,
              symbols.size() * sizeof(Elf::Sym), alignof(uint64_t));
  sections[SymbolSection].sh_link = StringSection;
  sections[SymbolSection].sh_info = 1; // the first symbol that is not local
  sections[SymbolSection].sh_entsize = sizeof(Elf::Sym);
  // NOTE: the table of strings is complete before its own size is taken.
  uint32_t stringName = strings.add(".strtab");
  stringEnd = stringOffset + strings.bytes().size();
  sections[StringSection] = section(stringName, ELF::SHT_STRTAB, stringOffset,
                                    strings.bytes().size(), 1);
  tableOffset = alignTo(stringEnd, alignof(uint64_t));
}

void DataObject::write(ArrayRef<EmbeddedData> data, raw_ostream &stream) const {
  Elf::Ehdr header = fileHeader(tableOffset);
  stream << bytesOf(&header, 1);
  stream.write_zeros(dataOffset - sizeof(header));
  for (const EmbeddedData &item : data) {
    stream.write(item.bytes.data(), item.bytes.size());
    stream.write_zeros(
        offsetToAlignment(item.bytes.size(), Align(dataAlignment)));
  }
  stream << bytesOf(symbols.data(), symbols.size()) << strings.bytes();
  stream.write_zeros(tableOffset - stringEnd);
  stream << bytesOf(sections, SectionCount);
}

} // namespace

std::error_code writeDataObject(int descriptor, ArrayRef<EmbeddedData> data) {
  raw_fd_ostream stream(descriptor, /*shouldClose=*/false);
  DataObject(data).write(data, stream);
  stream.flush();
  std::error_code code = stream.error();
  stream.clear_error();
  return code;
}

} // namespace hamkaas
