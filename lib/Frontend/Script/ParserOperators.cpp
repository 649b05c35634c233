//===- ParserOperators.cpp - The meaning of a script ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Frontend/Builder/Numbers.h"
#include "HamKaas/Frontend/Script/Enumerations.h"
#include "Parser.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::script;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// The literal of `argument` as a number of `type`, or null where that has no
/// such number.
static Attribute makeNumber(const Argument &argument, Type type) {
  StringRef text = argument.token.text;
  if (argument.kind == Argument::Kind::Flag)
    return type.isInteger(1)
               ? Builder(type.getContext()).getBoolAttr(argument.integer)
               : Attribute();
  // Bits are of version 3.
  bool isBits = text.starts_with("0x") && !text.contains_insensitive('p');
  return isBits || type.isInteger(1) ? Attribute()
                                     : graph::parseNumberAttr(text, type);
}

/// Said of what version 1 lacks.
static constexpr StringLiteral needsVersion2 =
    ", which needs 'version = 2;' as the first statement";

//===----------------------------------------------------------------------===//
// Inputs, constants and buffers
//===----------------------------------------------------------------------===//

NodeOrError Parser::defineTensor(const Token &id, const Token &spelling,
                                 const Token &name, const Token &typeName,
                                 const Argument &shape) {
  bool isNumber = spelling.text == numberTensor;
  if (isNumber && version == 1) {
    reportUnknownOperator(spelling);
    return std::nullopt;
  }
  bool nameIsValid = isNumber || name.text.empty() || checkName(spelling, name);
  Type elementType = parseElementType(typeName.text, version, context);
  if (!elementType) {
    InFlightDiagnostic wrong = error(typeName.position)
                               << "expected the type "
                               << listElementTypes(version) << ", got "
                               << typeName.describe();
    if (parseElementType(typeName.text, /*version=*/2, context))
      wrong << needsVersion2;
  }
  if (!checkShape(shape) || !elementType || !nameIsValid)
    return std::nullopt;
  auto type = RankedTensorType::get(shape.list, elementType);
  Location location = getLocation(id.position);
  if (isNumber) {
    TypedAttr number = parseNumber(name, elementType);
    return number ? NodeOrError(graph.addNumber(number, type, location))
                  : std::nullopt;
  }
  if (spelling.text == "InputTensor")
    return graph.addInput(name.text, type, location);
  if (spelling.text == "ConstantTensor")
    return graph.addConstant(name.text, type, location);
  return graph.addBuffer(name.text, type, location);
}

/// The number as an attribute of the type; null if it is none, with an error.
TypedAttr Parser::parseNumber(const Token &number, Type type) {
  Argument argument;
  argument.token = number;
  argument.kind = Argument::Kind::Float;
  if (number.text == "true" || number.text == "false") {
    argument.kind = Argument::Kind::Flag;
    argument.integer = number.text == "true";
  }
  if (Attribute value = makeNumber(argument, type))
    return cast<TypedAttr>(value);
  error(number.position) << "expected a number of " << getElementTypeName(type)
                         << ", got " << number.describe();
  return nullptr;
}

bool Parser::checkName(const Token &spelling, const Token &name) {
  if (size_t control = findControl(name.text); control != StringRef::npos) {
    Position position = name.position;
    position.column += control;
    error(position) << "expected a name without control characters";
    return false;
  }
  std::string key = (spelling.text + " " + name.text).str();
  auto [known, isNew] = names.try_emplace(key, name.position);
  if (isNew)
    return true;
  InFlightDiagnostic duplicate =
      error(name.position) << "expected a new name, another " << spelling.text
                           << " is called " << name.describe();
  duplicate.attachNote(getLocation(known->second)) << "named here";
  return false;
}

bool Parser::checkShape(const Argument &shape) {
  size_t rank = shape.list.size();
  size_t minRank = version == 1 ? 1 : 0;
  if (rank < minRank || rank > maxRanks[version]) {
    error(shape.token.position)
        << "expected a shape of " << minRank << " to " << maxRanks[version]
        << " dimensions, got " << rank;
    return false;
  }
  for (auto [size, position] : llvm::zip(shape.list, shape.itemPositions))
    if (size < 1) {
      error(position) << "expected a dimension of at least 1, got " << size;
      return false;
    }
  if (hasFewElements(shape.list))
    return true;
  error(shape.token.position)
      << "expected a shape of fewer than 2^47 elements, got "
      << formatList(shape.list);
  return false;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

NodeOrError Parser::applyOperator(const Token &id, const Token &spelling,
                                  ArrayRef<Argument> arguments) {
  auto named = llvm::find_if(arguments, std::mem_fn(&Argument::isNamed));
  if (version == 1 && named != arguments.end()) {
    error(named->name.position)
        << "expected no attribute names in a script of version 1, got "
        << named->name.describe();
    return std::nullopt;
  }
  auto op = operators.find(spelling.text);
  if (op != operators.end() && named == arguments.end())
    return applyByTable(*op->second, id, spelling, arguments);
  std::optional<OperationName> name = findOp(spelling.text);
  if (name)
    return applyByName(*name, id, spelling, arguments);
  reportUnknownOperator(spelling);
  return std::nullopt;
}

std::optional<OperationName> Parser::findOp(StringRef spelling) const {
  if (version == 1)
    return std::nullopt;
  auto op = ops.find(spelling);
  if (op != ops.end())
    return op->second;
  auto known = operators.find(spelling);
  if (known != operators.end())
    return OperationName(known->second->opName, context);
  return std::nullopt;
}

void Parser::reportUnknownOperator(const Token &spelling) {
  if (!unknownOperators.insert(spelling.text).second)
    return;
  InFlightDiagnostic unknown = error(spelling.position)
                               << "unknown operator " << spelling.describe();
  constexpr unsigned maxDistance = 2;
  unsigned best = maxDistance + 1;
  StringRef closest;
  auto consider = [&](StringRef known) {
    // 'ReLU' means 'ReLUNode', 'Input' means 'InputTensor'.
    for (StringRef suffix : {"", "Node", "Tensor"}) {
      unsigned distance =
          StringRef((spelling.text + suffix).str())
              .edit_distance_insensitive(known, /*AllowReplacements=*/true,
                                         maxDistance);
      if (distance >= best)
        continue;
      best = distance;
      closest = known;
    }
  };
  for (const Operator &op : getOperators())
    consider(op.spelling);
  for (StringRef tensor : {"InputTensor", "ConstantTensor", "BufferTensor"})
    consider(tensor);
  bool isOfVersion2 =
      ops.contains(spelling.text) || spelling.text == numberTensor;
  if (version == 1 && best > 0 && isOfVersion2)
    unknown << needsVersion2;
  else if (!closest.empty())
    unknown << ", did you mean '" << closest << "'?";
}

static Application makeApplication(OperationName name, Location location) {
  return {name, location, location, location};
}

NodeOrError Parser::applyByTable(const Operator &op, const Token &id,
                                 const Token &spelling,
                                 ArrayRef<Argument> arguments) {
  ArrayRef<Parameter> parameters = op.getParameters();
  if (arguments.size() != parameters.size()) {
    Position position = arguments.size() > parameters.size()
                            ? arguments[parameters.size()].token.position
                            : spelling.position;
    InFlightDiagnostic arity =
        error(position) << "expected " << parameters.size()
                        << (parameters.size() == 1 ? " argument" : " arguments")
                        << " of " << spelling.text << " (";
    llvm::interleaveComma(parameters, arity, [&](const Parameter &parameter) {
      arity << StringRef(parameter.name);
    });
    arity << "), got " << arguments.size();
    return std::nullopt;
  }
  Application application = makeApplication(OperationName(op.opName, context),
                                            getLocation(id.position));
  application.operatorLocation = getLocation(spelling.position);
  // A mismatch with the first operand is the fault of the second.
  application.blame =
      getLocation(arguments[arguments.size() > 1].token.position);
  application.isWellFormed = true;
  bool isValid = true;
  for (auto [parameter, argument] : llvm::zip(parameters, arguments))
    isValid &= bind(parameter, argument, application);
  if (!isValid)
    return std::nullopt;
  RankedTensorType first = graph.getType(application.operands.front());
  if (version == 1 && first.getRank() > op.maxRank) {
    error(arguments.front().token.position)
        << "expected " << parameters.front().name << " to have rank "
        << op.maxRank << ", got " << describeType(first);
    return std::nullopt;
  }
  return build(application);
}

bool Parser::bind(const Parameter &parameter, const Argument &argument,
                  Application &application) {
  Builder builder(context);
  bool isList = argument.kind == Argument::Kind::List;
  bool isInteger = argument.kind == Argument::Kind::Integer;
  auto reject = [&](StringRef what) {
    error(argument.token.position)
        << "expected " << parameter.name << " to be " << what << ", got "
        << (isList ? "a list" : argument.token.describe());
    return false;
  };
  auto addAttribute = [&](StringRef name, Attribute value) {
    application.attributes.push_back(builder.getNamedAttr(name, value));
    return true;
  };
  switch (parameter.kind) {
  case ParameterKind::FloatNode:
  case ParameterKind::AnyNode:
  case ParameterKind::PositionNode:
    if (argument.kind != Argument::Kind::Node)
      return reject("a node");
    return bindNode(parameter, argument, application);
  case ParameterKind::Prefix:
    if (isInteger)
      return addAttribute(staticPrefixAttr,
                          builder.getI64IntegerAttr(argument.integer));
    if (argument.kind != Argument::Kind::Node)
      return reject("a node or an integer");
    return bindNode(parameter, argument, application);
  case ParameterKind::Integer:
    if (!isInteger)
      return reject("an integer");
    return addAttribute(parameter.name,
                        builder.getI64IntegerAttr(argument.integer));
  case ParameterKind::List:
    if (!isList)
      return reject("a list of integers");
    return addAttribute(parameter.name,
                        builder.getDenseI64ArrayAttr(argument.list));
  case ParameterKind::Shape:
    if (!isList)
      return reject("a list of integers");
    application.shape = argument.list;
    return checkShape(argument);
  }
  llvm_unreachable("all kinds of parameters are handled");
}

bool Parser::bindNode(const Parameter &parameter, const Argument &argument,
                      Application &application) {
  if (!argument.node)
    return false;
  RankedTensorType type = graph.getType(*argument.node);
  bool isPositionParameter = parameter.kind == ParameterKind::PositionNode ||
                             parameter.kind == ParameterKind::Prefix;
  StringRef wanted;
  if (parameter.kind == ParameterKind::FloatNode &&
      !type.getElementType().isF32())
    wanted = "float32";
  else if (isPositionParameter && !isPosition(type))
    wanted = "int64 [1]";
  if (wanted.empty()) {
    application.operands.push_back(*argument.node);
    return true;
  }
  InFlightDiagnostic mismatch = error(argument.token.position)
                                << "expected " << parameter.name << " to be "
                                << wanted << ", got " << describeType(type);
  mismatch.attachNote(graph.getLocation(*argument.node)) << "defined here";
  return false;
}

/// Version 2: operands by position, attributes by name, and the op itself says
/// which it wants.
NodeOrError Parser::applyByName(OperationName name, const Token &id,
                                const Token &spelling,
                                ArrayRef<Argument> arguments) {
  Application application = makeApplication(name, getLocation(id.position));
  application.operatorLocation = getLocation(spelling.position);
  if (!arguments.empty())
    application.blame =
        getLocation(arguments[arguments.size() > 1].token.position);
  bool isValid = true;
  bool wasNamed = false;
  for (const Argument &argument : arguments) {
    wasNamed |= argument.isNamed();
    if (argument.isNamed()) {
      isValid &= bindAttribute(argument, application);
    } else if (argument.kind != Argument::Kind::Node || wasNamed) {
      error(argument.token.position)
          << "expected nodes, then attributes as <name> = <value>, got "
          << argument.token.describe();
      isValid = false;
    } else if (argument.node) {
      application.operands.push_back(*argument.node);
    } else {
      isValid = false;
    }
  }
  if (!isValid)
    return std::nullopt;
  if (!name.hasInterface<InferTypeOpInterface>() &&
      !checkResult(spelling, application))
    return std::nullopt;
  return build(application);
}

/// An op that does not infer the type of its result has it from attributes, or
/// half of it from its operand.
bool Parser::checkResult(const Token &spelling,
                         const Application &application) {
  // One that is missing is for the op to miss.
  bool hasOperand = !application.name.hasTrait<OpTrait::ZeroOperands>();
  bool lacksShape = !application.shape;
  bool lacksType = !application.elementType;
  if (hasOperand ? !(lacksShape && lacksType) : !(lacksShape || lacksType))
    return true;
  InFlightDiagnostic missing = error(spelling.position)
                               << "expected the attribute '";
  if (hasOperand)
    missing << shapeAttr << "' or '" << typeAttr << "' of the result";
  else
    missing << (lacksShape ? shapeAttr : typeAttr) << "' of the result";
  return false;
}

/// All that `argument` may stand for, the likeliest first. `element` is the
/// type of the first operand's elements, or null.
static SmallVector<Attribute>
listAttributes(const Argument &argument, Type element, MLIRContext *context) {
  Builder builder(context);
  if (argument.kind == Argument::Kind::List)
    return {builder.getDenseI64ArrayAttr(argument.list)};
  if (argument.kind == Argument::Kind::Word)
    return llvm::to_vector(llvm::make_filter_range(
        listEnumerations(context), [&](Attribute value) {
          return getEnumerationName(value) == argument.token.text;
        }));
  SmallVector<Attribute> values;
  for (Type type : {element, Type(builder.getI64Type()),
                    Type(builder.getF64Type()), Type(builder.getF32Type())})
    if (Attribute value = type ? makeNumber(argument, type) : Attribute())
      values.push_back(value);
  if (argument.kind == Argument::Kind::Flag)
    values.push_back(builder.getUnitAttr());
  return values;
}

/// The attribute that `argument` stands for, as the op wants it; null if it
/// wants another, which `wanted` names then.
Attribute Parser::findAttribute(const Argument &argument,
                                const Application &application,
                                std::string &wanted) {
  OperationName op = application.name;
  Type element;
  if (!application.operands.empty())
    element = graph.getType(application.operands.front()).getElementType();
  auto check = [&](Attribute value) {
    NamedAttrList list;
    list.append(argument.name.text, value);
    return captureErrors(context, [&] {
      (void)op.verifyInherentAttrs(
          list, [&] { return emitError(application.location); });
    });
  };
  for (Attribute value : listAttributes(argument, element, context))
    if (check(value).empty())
      return value;
  SmallVector<StringRef> words;
  for (Attribute value : listEnumerations(context))
    if (check(value).empty())
      words.push_back(getEnumerationName(value));
  // An attribute that no op wants is answered by what this one does.
  std::string text = check(Builder(context).getArrayAttr({}));
  wanted = words.empty()
               ? ("a " + StringRef(text).rsplit("constraint: ").second).str()
               : "one of " + llvm::join(words, ", ");
  return {};
}

bool Parser::rejectValue(const Argument &argument, const Twine &wanted) {
  error(argument.token.position)
      << "expected " << argument.name.text << " to be " << wanted << ", got "
      << (argument.kind == Argument::Kind::List ? "a list"
                                                : argument.token.describe());
  return false;
}

/// The shape or the element type of the result.
bool Parser::bindResult(const Argument &argument, Application &application) {
  if (argument.name.text == shapeAttr) {
    if (argument.kind != Argument::Kind::List)
      return rejectValue(argument, "a list of integers");
    application.shape = argument.list;
    return checkShape(argument);
  }
  if (argument.kind == Argument::Kind::Word)
    application.elementType =
        parseElementType(argument.token.text, version, context);
  return application.elementType ||
         rejectValue(argument, listElementTypes(version));
}

bool Parser::bindAttribute(const Argument &argument, Application &application) {
  OperationName op = application.name;
  StringRef name = argument.name.text;
  SmallVector<StringRef> known;
  for (StringAttr attribute : op.getAttributeNames())
    if (attribute != segmentsAttr)
      known.push_back(attribute.getValue());
  bool isResult = !op.hasInterface<InferTypeOpInterface>() &&
                  (name == shapeAttr || name == typeAttr);
  if (!op.hasInterface<InferTypeOpInterface>())
    known.append({shapeAttr, typeAttr});
  if (!llvm::is_contained(known, name)) {
    error(argument.name.position)
        << "unknown attribute " << argument.name.describe() << ", known are: "
        << (known.empty() ? "none" : llvm::join(known, ", "));
    return false;
  }
  if (!application.given.insert(name).second) {
    error(argument.name.position)
        << "expected " << argument.name.describe() << " once";
    return false;
  }
  if (isResult)
    return bindResult(argument, application);
  std::string wanted;
  Attribute value = findAttribute(argument, application, wanted);
  if (!value)
    return rejectValue(argument, wanted);
  bool isUnset = isa<UnitAttr>(value) && argument.integer == 0;
  if (!isUnset)
    application.attributes.emplace_back(StringAttr::get(context, name), value);
  return true;
}

NodeOrError Parser::build(Application &application) {
  FailureOr<uint32_t> node = graph.apply(application);
  if (succeeded(node))
    return *node;
  ++errorCount;
  return std::nullopt;
}
