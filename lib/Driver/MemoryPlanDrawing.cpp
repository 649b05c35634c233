//===- MemoryPlanDrawing.cpp - The workspace as a picture -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/MemoryPlanDrawing.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <algorithm>
#include <cmath>
#include <set>

using namespace hamkaas;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// `text` for the content of an element: valid UTF-8, without characters that
/// XML does not allow.
static std::string escapeXml(llvm::StringRef text) {
  std::string result;
  for (char c : llvm::json::fixUTF8(text)) {
    switch (c) {
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '&':
      result += "&amp;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t')
        result += c;
    }
  }
  return result;
}

/// "512 bytes", "12.5 kB", "3 MB": short, for labels.
static std::string formatBytes(uint64_t bytes) {
  static constexpr llvm::StringLiteral units[] = {"kB", "MB", "GB",
                                                  "TB", "PB", "EB"};
  if (bytes < 1000)
    return formatv("{0} bytes", bytes);
  double value = bytes / 1000.0;
  size_t unit = 0;
  for (; value >= 999.95; value /= 1000)
    ++unit;
  std::string number = formatv("{0:F1}", value);
  llvm::StringRef text = number;
  text.consume_back(".0");
  return (text + " " + units[unit]).str();
}

/// The beginning of `text` that fits into `width` pixels, empty if that is too
/// little to tell anything.
static std::string clip(llvm::StringRef text, double width) {
  constexpr double characterWidth = 6.8;
  size_t fitting = std::max(0.0, width / characterWidth);
  if (text.size() <= fitting)
    return text.str();
  return fitting < 4 ? "" : text.take_front(fitting - 1).str() + "…";
}

//===----------------------------------------------------------------------===//
// Drawing
//===----------------------------------------------------------------------===//

namespace {

/// Draws into a frame whose scales are steps and bytes.
class PlanDrawing {
public:
  PlanDrawing(const ProgramInfo &info, llvm::raw_ostream &os);
  void draw();

private:
  static constexpr double left = 90, top = 60, right = 30, bottom = 90;
  static constexpr double height = 420;

  double getX(double step) const { return left + step * stepWidth; }
  double getY(double offset) const {
    return top + height - offset / std::max<double>(1, bytes) * height;
  }

  void drawHeading();
  void drawOffsets();
  void drawSteps();
  void drawBuffer(const WorkspaceBuffer &buffer);
  void drawLowerBound();
  int64_t getShownEnd(const WorkspaceBuffer &buffer) const;
  llvm::StringRef getColor(llvm::StringRef ops);
  void drawText(double x, double y, llvm::StringRef style,
                llvm::StringRef text);

  const ProgramInfo &info;
  llvm::raw_ostream &os;
  uint64_t bytes;
  int64_t steps = 1;
  double stepWidth, width;
  /// What computes the same has the same colour.
  llvm::StringMap<llvm::StringRef> colors;
  /// Offset and first step of each buffer.
  std::set<std::pair<uint64_t, int64_t>> starts;
};

} // namespace

PlanDrawing::PlanDrawing(const ProgramInfo &info, llvm::raw_ostream &os)
    : info(info), os(os), bytes(info.workspaceBytes) {
  for (const CallInfo &call : info.calls)
    steps = std::max(steps, call.step + 1);
  for (const WorkspaceBuffer &buffer : info.buffers) {
    steps = std::max(steps, buffer.last + 1);
    starts.emplace(buffer.offset, buffer.first);
  }
  // Few steps are spread over a page; many make it wider, up to a limit.
  width = std::clamp<double>(steps * 40, 900, 8000);
  stepWidth = width / steps;
}

void PlanDrawing::drawText(double x, double y, llvm::StringRef style,
                           llvm::StringRef text) {
  os << formatv("<text x=\"{0:F1}\" y=\"{1:F1}\" {2}>{3}</text>\n", x, y, style,
                escapeXml(text));
}

void PlanDrawing::drawHeading() {
  drawText(left, 26, "font-size=\"17\" font-weight=\"bold\"",
           info.name + ": plan of the workspace");
  drawText(left, 46, "fill=\"#555\"",
           formatv("{0:N0} bytes; no plan needs less than {1:N0}. Each box is "
                   "a buffer: its height is its size, its width the time it is "
                   "kept.",
                   bytes, info.workspaceLowerBound)
               .str());
}

/// Horizontal lines at round numbers of bytes.
void PlanDrawing::drawOffsets() {
  double rough = std::max<double>(1, bytes) / 6;
  double tick = std::pow(10, std::floor(std::log10(rough)));
  for (double factor : {5, 2})
    if (tick * factor <= rough) {
      tick *= factor;
      break;
    }
  tick = std::max(1.0, tick);
  for (double offset = 0; offset <= bytes; offset += tick) {
    os << formatv("<line x1=\"{0:F1}\" y1=\"{1:F1}\" x2=\"{2:F1}\" "
                  "y2=\"{1:F1}\" stroke=\"#ddd\"/>\n",
                  left, getY(offset), left + width);
    drawText(left - 8, getY(offset) + 4, "text-anchor=\"end\" fill=\"#555\"",
             offset == 0 ? "0" : formatBytes(offset));
  }
}

/// What each step computes, or its number where there is no room.
void PlanDrawing::drawSteps() {
  double y = top + height + 16;
  if (stepWidth >= 80) {
    for (const CallInfo &call : info.calls) {
      drawText(getX(call.step) + 4, y, "fill=\"#333\"",
               clip(call.ops, stepWidth - 8));
      drawText(getX(call.step) + 4, y + 16, "fill=\"#777\"",
               clip(call.location, stepWidth - 8));
    }
  } else {
    int64_t tick = std::max<int64_t>(1, std::ceil(40 / stepWidth));
    for (int64_t step = 0; step < steps; step += tick)
      drawText(getX(step + 0.5), y, "text-anchor=\"middle\" fill=\"#555\"",
               std::to_string(step));
  }
  drawText(left, top + height + 56, "fill=\"#555\"",
           "time: the calls of kernels, one after the other");
}

/// Colours on which black text can be read, told apart also by people who see
/// no red or green.
llvm::StringRef PlanDrawing::getColor(llvm::StringRef ops) {
  static constexpr llvm::StringLiteral palette[] = {
      "#8ecae6", "#ffb703", "#b7e4c7", "#f4a6a0", "#cdb4db",
      "#f1e189", "#a3b18a", "#d9c5b2", "#90dbf4", "#ffc8dd"};
  auto [it, isNew] =
      colors.try_emplace(ops, palette[colors.size() % std::size(palette)]);
  return it->second;
}

/// The step after the last one that `buffer` shows: where another takes its
/// place in its last step, that one is shown.
int64_t PlanDrawing::getShownEnd(const WorkspaceBuffer &buffer) const {
  bool isReplaced = buffer.first < buffer.last &&
                    starts.contains({buffer.offset, buffer.last});
  return buffer.last + (isReplaced ? 0 : 1);
}

void PlanDrawing::drawBuffer(const WorkspaceBuffer &buffer) {
  double x = getX(buffer.first), y = getY(buffer.offset + buffer.bytes);
  double boxWidth = (getShownEnd(buffer) - buffer.first) * stepWidth;
  double boxHeight = getY(buffer.offset) - y;
  // An svg element within another clips what does not fit.
  os << formatv("<svg x=\"{0:F1}\" y=\"{1:F1}\" width=\"{2:F1}\" "
                "height=\"{3:F1}\">\n",
                x, y, boxWidth, boxHeight);
  os << "<title>"
     << escapeXml(formatv("{0}\n{1}\n{2:N0} bytes at offset {3:N0}\n"
                          "from step {4} to step {5}",
                          buffer.ops, buffer.location, buffer.bytes,
                          buffer.offset, buffer.first, buffer.last)
                      .str())
     << "</title>\n";
  os << formatv("<rect width=\"100%\" height=\"100%\" fill=\"{0}\" "
                "stroke=\"#333\"/>\n",
                getColor(buffer.ops));
  std::string lines[] = {buffer.ops, formatBytes(buffer.bytes),
                         buffer.location};
  constexpr double lineHeight = 15;
  double lineY = lineHeight;
  for (const std::string &line : lines) {
    std::string shown = clip(line, boxWidth - 8);
    if (lineY + 3 > boxHeight || shown.empty())
      break;
    drawText(4, lineY, "", shown);
    lineY += lineHeight;
  }
  os << "</svg>\n";
}

void PlanDrawing::drawLowerBound() {
  double y = getY(info.workspaceLowerBound);
  os << formatv("<line x1=\"{0:F1}\" y1=\"{1:F1}\" x2=\"{2:F1}\" "
                "y2=\"{1:F1}\" stroke=\"#c1121f\" stroke-width=\"1.5\" "
                "stroke-dasharray=\"6 4\"/>\n",
                left, y, left + width);
  drawText(left + width, y - 4, "text-anchor=\"end\" fill=\"#c1121f\"",
           "lower bound");
}

void PlanDrawing::draw() {
  os << formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:F0}\" "
                "height=\"{1:F0}\" font-family=\"sans-serif\" "
                "font-size=\"12\">\n",
                left + width + right, top + height + bottom);
  os << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  drawHeading();
  drawOffsets();
  drawSteps();
  if (info.buffers.empty())
    drawText(getX(0) + 8, getY(0) - 8, "", "No result is kept.");
  for (const WorkspaceBuffer &buffer : info.buffers)
    drawBuffer(buffer);
  drawLowerBound();
  os << "</svg>\n";
}

void hamkaas::drawMemoryPlan(const ProgramInfo &info, llvm::raw_ostream &os) {
  PlanDrawing(info, os).draw();
}
