//===- EngineGroup.cpp - The text of a group ------------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Engine/EngineGroup.h"

#include "HamKaas/Runtime/Core/TensorType.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

using namespace hamkaas::rt;

EngineGroup::~EngineGroup() {
  free(text);
  free(values);
  free(nodes);
  free(attributes);
  free(integers);
  free(operands);
}

/// Reads the lines in place: words and lines end with a null character
/// afterwards.
class EngineGroup::Parser {
public:
  explicit Parser(EngineGroup &owner) : owner(owner), rest(owner.text) {}

  Error parse() {
    char *line = nextLine();
    if (!line || strcmp(line, "hamkaas-group 1") != 0)
      return fail("expected 'hamkaas-group 1'");
    while ((line = nextLine())) {
      if (strcmp(line, "script") == 0) {
        owner.group.script = rest;
        break;
      }
      if (Error error = parseLine(line))
        return error;
    }
    if (owner.group.nodeCount == 0)
      return fail("expected a node");
    owner.group.result = owner.group.valueCount - 1;
    return Error();
  }

private:
  Error fail(const char *what) const {
    return Error::format("line %d of the group: %s", lineNumber, what);
  }

  /// Null at the end.
  char *nextLine() {
    if (!*rest)
      return nullptr;
    char *line = rest;
    char *end = strchr(rest, '\n');
    rest = end ? end + 1 : rest + strlen(rest);
    if (end)
      *end = '\0';
    ++lineNumber;
    return line;
  }

  /// The next word of `line`, which moves behind it; null at the end.
  static char *nextWord(char *&line) {
    if (!line || !*line)
      return nullptr;
    char *word = line;
    line = strchr(line, ' ');
    if (line)
      *line++ = '\0';
    return word;
  }

  static bool readInteger(const char *word, int64_t &value) {
    char *end = nullptr;
    errno = 0;
    value = strtoll(word, &end, 10);
    return errno == 0 && end != word && !*end;
  }

  Error parseLine(char *line) {
    const char *kind = nextWord(line);
    if (kind && strcmp(kind, "node") == 0)
      return parseNode(line);
    if (kind && strcmp(kind, "attribute") == 0)
      return parseAttribute(line);
    if (kind && strcmp(kind, "device") == 0)
      return parseDevice(line);
    if (kind && strcmp(kind, "precision") == 0)
      return parsePrecision(line);
    bool isConstant = kind && strcmp(kind, "constant") == 0;
    if (!isConstant && !(kind && strcmp(kind, "input") == 0))
      return fail("expected device, precision, input, constant, node, "
                  "attribute or script");
    if (owner.group.nodeCount > 0)
      return fail("expected all inputs before the first node");
    ++owner.group.inputCount;
    return parseTensor(line, isConstant);
  }

  /// "cuda"
  Error parseDevice(const char *line) {
    bool isCuda = line && strcmp(line, "cuda") == 0;
    if (!isCuda && !(line && strcmp(line, "cpu") == 0))
      return fail("expected the device cpu or cuda");
    owner.group.device = isCuda ? HamKaasEngineCuda : HamKaasEngineCpu;
    return Error();
  }

  /// "tf32"
  Error parsePrecision(const char *line) {
    for (const char *known : {"exact", "tf32", "3xtf32", "bf16"})
      if (line && strcmp(line, known) == 0) {
        owner.group.precision = known;
        return Error();
      }
    return fail("expected the precision exact, tf32, 3xtf32 or bf16");
  }

  /// "float32 128 784"
  Error parseTensor(char *line, bool isConstant) {
    const char *typeName = nextWord(line);
    HamKaasEngineTensor &tensor = owner.values[owner.group.valueCount++];
    int32_t type = 0;
    while (typeName && type < elementTypeCount &&
           strcmp(elementTypes[type].name, typeName) != 0)
      ++type;
    if (!typeName || type == elementTypeCount)
      return fail("expected an element type");
    tensor.elementType = type;
    tensor.isConstant = isConstant ? 1 : 0;
    int64_t *shape = nextInteger;
    tensor.shape = shape;
    while (const char *word = nextWord(line)) {
      if (!readInteger(word, *nextInteger) || *nextInteger < 1)
        return fail("expected dimensions of at least 1");
      ++nextInteger;
    }
    tensor.rank = static_cast<int32_t>(nextInteger - shape);
    uint64_t bytes = 0;
    if (!countBytes(elementTypes[type].size, tensor.rank, shape, bytes))
      return fail("expected a tensor of less than 2^63 bytes");
    int64_t *strides = nextInteger;
    nextInteger += tensor.rank;
    tensor.strides = strides;
    int64_t stride = 1;
    for (int32_t i = tensor.rank - 1; i >= 0; --i) {
      strides[i] = stride;
      stride *= shape[i];
    }
    return Error();
  }

  /// "matmul 0 1 : float32 128 1000"
  Error parseNode(char *line) {
    HamKaasEngineNode &node = owner.nodes[owner.group.nodeCount];
    node.operation = nextWord(line);
    if (!node.operation)
      return fail("expected an operation");
    node.operands = nextOperand;
    const char *word = nextWord(line);
    for (; word && strcmp(word, ":") != 0; word = nextWord(line)) {
      int64_t value = 0;
      if (!readInteger(word, value) || value < 0 ||
          value >= owner.group.valueCount)
        return fail("expected operands that stand before");
      *nextOperand++ = static_cast<int32_t>(value);
    }
    if (!word)
      return fail("expected ':' and a type");
    node.operandCount = static_cast<int32_t>(nextOperand - node.operands);
    node.attributes = nextAttribute;
    node.result = owner.group.valueCount;
    ++owner.group.nodeCount;
    return parseTensor(line, /*isConstant=*/false);
  }

  /// "axis integer 1"
  Error parseAttribute(char *line) {
    if (owner.group.nodeCount == 0)
      return fail("expected an attribute behind a node");
    HamKaasEngineAttribute &attribute = *nextAttribute++;
    ++owner.nodes[owner.group.nodeCount - 1].attributeCount;
    attribute.name = nextWord(line);
    const char *kind = nextWord(line);
    if (!attribute.name || !kind)
      return fail("expected a name and a kind");
    if (strcmp(kind, "text") == 0) {
      attribute.kind = HamKaasEngineText;
      attribute.text = line ? line : "";
      return Error();
    }
    if (strcmp(kind, "integers") == 0)
      return parseIntegers(attribute, line);
    const char *word = nextWord(line);
    if (!word || line)
      return fail("expected one value");
    if (strcmp(kind, "integer") == 0) {
      attribute.kind = HamKaasEngineInteger;
      return readInteger(word, attribute.integer) ? Error()
                                                  : fail("expected an integer");
    }
    if (strcmp(kind, "number") != 0)
      return fail("expected integer, number, text or integers");
    attribute.kind = HamKaasEngineNumber;
    return parseNumber(attribute, word);
  }

  Error parseIntegers(HamKaasEngineAttribute &attribute, char *line) {
    attribute.kind = HamKaasEngineIntegers;
    attribute.integers = nextInteger;
    while (const char *word = nextWord(line))
      if (!readInteger(word, *nextInteger++))
        return fail("expected integers");
    attribute.count = static_cast<int32_t>(nextInteger - attribute.integers);
    return Error();
  }

  Error parseNumber(HamKaasEngineAttribute &attribute, const char *word) const {
    char *end = nullptr;
    uint64_t bits = strtoull(word, &end, 16);
    if (strlen(word) != 16 || *end)
      return fail("expected the bits of a number as 16 digits");
    static_assert(sizeof(bits) == sizeof(attribute.number));
    memcpy(&attribute.number, &bits, sizeof(bits));
    return Error();
  }

  EngineGroup &owner;
  char *rest;
  int lineNumber = 0;
  int64_t *nextInteger = owner.integers;
  int32_t *nextOperand = owner.operands;
  HamKaasEngineAttribute *nextAttribute = owner.attributes;
};

Error EngineGroup::parse(const char *given) {
  text = strdup(given);
  // Each line has at most one value, node and attribute; each integer follows a
  // space, and a dimension comes with a stride.
  size_t lines = 1, words = 1;
  for (const char *c = given; *c; ++c) {
    lines += *c == '\n';
    words += *c == ' ';
  }
  auto allocate = [](size_t count, auto *&array) {
    array = static_cast<decltype(+array)>(calloc(count, sizeof(*array)));
    return array != nullptr;
  };
  if (!text || lines > INT32_MAX || words > INT32_MAX ||
      !allocate(lines, values) || !allocate(lines, nodes) ||
      !allocate(lines, attributes) || !allocate(2 * words, integers) ||
      !allocate(words, operands))
    return Error::format("out of memory for a group");
  group.structSize = sizeof(group);
  group.device = HamKaasEngineCpu;
  group.precision = "exact";
  group.values = values;
  group.nodes = nodes;
  return Parser(*this).parse();
}
