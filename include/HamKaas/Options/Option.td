//===- Option.td - The classes of the option tables --------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A record is an option; its name with underscores is the name of the option.
// hamkaas-tblgen makes the structures, parameters and documents of all fronts
// from it, llvm-tblgen the parser of the command line.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_OPTIONS_OPTION
#define HAMKAAS_OPTIONS_OPTION

include "llvm/Option/OptParser.td"

def CompileTool : OptionVisibility;
def RunTool : OptionVisibility;
def TranslateTool : OptionVisibility;

/// The value of an option.
class OptionType;
def Switch : OptionType; ///< Given or not.
def Text : OptionType;   ///< UTF-8, in lists separated by commas.
def Path : OptionType;   ///< The bytes of a path.
def Bytes : OptionType;  ///< A size: 4096, 64KB, 2MB or 1GB.
def Number : OptionType; ///< An integer from 0.
def Real : OptionType;   ///< A number from 0.
def Choice : OptionType; ///< One of the values; of a tool alone.

/// One of the values that an option may have.
class OptionValue<string name, string help = ""> {
  string Name = name;
  string Help = help;
}

/// An option of the command line.
class CommandLineOption<OptionType type, string help> {
  string Id = NAME;
  string Spelling = !subst("_", "-", NAME);
  OptionType Type = type;
  /// A line for --help, without a full stop.
  string Help = help;
  /// The placeholder of the value in --help: "file", "cpu|cuda".
  string Placeholder = "";
  /// All values; a Text may have others.
  list<OptionValue> Values = [];
  /// Markdown for docs/CommandLine.md, without a full stop. `{target}` is the
  /// name of another option, and `{target=cuda}` one with its value.
  string Description = ?;
  /// The value when the option is absent, as the command line spells it.
  string Default = "";
  /// Markdown in place of Values and Default.
  string ValuesText = "";
  string DefaultText = "";
  list<OptionVisibility> Tools = [CompileTool];
  /// May be given more than once.
  bit IsRepeated = false;
  /// May be given without a value.
  bit IsValueOptional = false;
  bit IsHidden = false;
}

/// A position in HamKaasCompileOptions, whose layout is the order of these
/// records: new ones go to the end.
class CompileField {
  /// The version of the C interface that introduced it.
  string Since = "1.0";
}

/// An option of a compilation, which every front has.
class CompileOption<OptionType type, string help>
    : CommandLineOption<type, help>, CompileField {
  let Tools = [CompileTool, RunTool];
  /// The name in Python; empty for the record's.
  string PythonName = "";
  /// A switch that is on by default in Python, where it has the opposite name.
  bit IsPythonInverse = false;
  /// The name in C; empty for the record's in camelCase.
  string CName = "";
  /// The code depends on it, and with it the key of the code cache.
  bit AffectsCode = true;
  /// Another value may be given when a compiled model is written.
  bit IsOfWrite = false;
  /// That value in Python; empty for the value that the model has.
  string PythonWriteDefault = "";
  /// Affects how this machine compiles, not the program. Ignored, without an
  /// error, for a model that is already compiled.
  bit IsOfMachine = false;
  /// In Python, None selects the value that the other arguments need.
  bit IsPythonOptional = false;
  /// About models in files, of no use for a graph that is built in Python.
  bit IsOfOnnx = false;
  /// The value has another type in each front, which reads it by itself.
  bit IsStructured = false;
}

/// A member of HamKaasCompileOptions that is no option with one value.
class CField<string declaration, string text = "", string comment = "">
    : CompileField {
  string Declaration = declaration;
  string Text = text;
  string Comment = comment;
}

/// A member of hamkaas::CompileOptions, in C++, that is none.
class CxxField<string declaration> {
  string CxxDeclaration = declaration;
  string Since = ?;
}

#endif // HAMKAAS_OPTIONS_OPTION
