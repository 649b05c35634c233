//===- MemoryPlanDrawing.cpp - The workspace as a drawing -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Report/MemoryPlanDrawing.h"
#include "FamilyColors.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
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

/// Of the font that the drawings use, about.
static constexpr double characterWidth = 6.8;

/// The colour for the peak of memory.
static constexpr llvm::StringLiteral peakColor = "#c1121f";

/// The beginning of `text` that fits into `width` pixels, empty if that is too
/// little to tell anything.
static std::string clip(llvm::StringRef text, double width) {
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
  PlanDrawing(const FunctionInfo &info, std::string title,
              llvm::raw_ostream &os);
  void draw();

  /// In pixels.
  double getWidth() const { return left + width + right; }
  double getHeight() const;

private:
  static constexpr double left = 90, top = 60, right = 30;
  static constexpr double height = 420;
  /// Where the legend and the list of the peak's buffers begin.
  static constexpr double legendTop = top + height + 76;
  static constexpr double peakTop = legendTop + 34;
  static constexpr double lineHeight = 15;
  /// Buffers that the list names.
  static constexpr size_t maxListed = 8;

  double getX(double step) const { return left + step * stepWidth; }
  double getY(double offset) const {
    return top + height - offset / std::max<double>(1, bytes) * height;
  }

  void drawHeading();
  void drawOffsets();
  void drawSteps();
  void drawBuffer(const WorkspaceBuffer &buffer);
  void drawLowerBound();
  void drawLegend();
  void drawPeak();
  void listPeak();
  void findPeak();
  int64_t getShownEnd(const WorkspaceBuffer &buffer) const;
  std::optional<KernelFamily> getFamily(const WorkspaceBuffer &buffer) const;
  bool isAtPeak(const WorkspaceBuffer &buffer) const {
    return buffer.first <= peakStep && peakStep < getShownEnd(buffer);
  }
  void drawText(double x, double y, llvm::StringRef style,
                llvm::StringRef text);

  const FunctionInfo &info;
  std::string title;
  llvm::raw_ostream &os;
  uint64_t bytes;
  int64_t steps = 1;
  double stepWidth, width;
  /// The families of the calls at each step.
  llvm::DenseMap<int64_t, std::vector<const CallInfo *>> calls;
  /// The first step at which most bytes are kept, and the buffers that are.
  int64_t peakStep = 0;
  std::vector<const WorkspaceBuffer *> owners;
  /// Offset and first step of each buffer.
  std::set<std::pair<uint64_t, int64_t>> starts;
};

} // namespace

PlanDrawing::PlanDrawing(const FunctionInfo &info, std::string title,
                         llvm::raw_ostream &os)
    : info(info), title(std::move(title)), os(os), bytes(info.workspaceBytes) {
  for (const CallInfo &call : info.calls) {
    steps = std::max(steps, call.step + 1);
    calls[call.step].push_back(&call);
  }
  for (const WorkspaceBuffer &buffer : info.buffers) {
    steps = std::max(steps, buffer.last + 1);
    starts.emplace(buffer.offset, buffer.first);
  }
  // Few steps are spread over a page; many make it wider, up to a limit.
  width = std::clamp<double>(steps * 40, 900, 8000);
  stepWidth = width / steps;
  findPeak();
}

/// The step after the last one that `buffer` shows: where another takes its
/// place in its last step, that one is shown.
int64_t PlanDrawing::getShownEnd(const WorkspaceBuffer &buffer) const {
  bool isReplaced = buffer.first < buffer.last &&
                    starts.contains({buffer.offset, buffer.last});
  return buffer.last + (isReplaced ? 0 : 1);
}

/// That of the call which writes the buffer first. What is no call is a copy.
std::optional<KernelFamily>
PlanDrawing::getFamily(const WorkspaceBuffer &buffer) const {
  auto found = calls.find(buffer.first);
  if (found == calls.end())
    return KernelFamily::Movement;
  // A loop has several calls at its step.
  auto call = llvm::find_if(found->second, [&](const CallInfo *call) {
    return call->ops == buffer.ops;
  });
  if (call == found->second.end())
    call = found->second.begin();
  return symbolizeKernelFamily((*call)->family);
}

void PlanDrawing::findPeak() {
  std::vector<int64_t> changes(steps + 1);
  for (const WorkspaceBuffer &buffer : info.buffers) {
    // The size of the buffer, up to the next one's alignment.
    uint64_t bytes = llvm::alignTo(buffer.bytes, HAMKAAS_REGION_ALIGNMENT);
    changes[buffer.first] += bytes;
    changes[getShownEnd(buffer)] -= bytes;
  }
  int64_t kept = 0, most = 0;
  for (int64_t step = 0; step < steps; ++step) {
    kept += changes[step];
    if (kept > most) {
      most = kept;
      peakStep = step;
    }
  }
  for (const WorkspaceBuffer &buffer : info.buffers)
    if (isAtPeak(buffer))
      owners.push_back(&buffer);
  llvm::stable_sort(owners,
                    [](auto *a, auto *b) { return a->bytes > b->bytes; });
}

double PlanDrawing::getHeight() const {
  size_t lines = std::min(owners.size(), maxListed + 1) + 1;
  return peakTop + lines * lineHeight + 10;
}

void PlanDrawing::drawText(double x, double y, llvm::StringRef style,
                           llvm::StringRef text) {
  os << formatv("<text x=\"{0:F1}\" y=\"{1:F1}\" {2}>{3}</text>\n", x, y, style,
                escapeXml(text));
}

void PlanDrawing::drawHeading() {
  drawText(left, 26, "font-size=\"17\" font-weight=\"bold\"", title);
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

/// Labels each step with its operations, or its number where there is no room.
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
                "stroke=\"{1}\" stroke-width=\"{2}\"/>\n",
                getFamilyColor(getFamily(buffer)),
                isAtPeak(buffer) ? peakColor : "#333",
                isAtPeak(buffer) ? 5 : 1);
  std::string lines[] = {buffer.ops, formatBytes(buffer.bytes),
                         buffer.location};
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
                "y2=\"{1:F1}\" stroke=\"{3}\" stroke-width=\"1.5\" "
                "stroke-dasharray=\"6 4\"/>\n",
                left, y, left + width, peakColor);
  drawText(left + width, y - 4, "text-anchor=\"end\" fill=\"#c1121f\"",
           "lower bound");
}

/// The families that this plan shows, and what the frames mean.
void PlanDrawing::drawLegend() {
  double x = left;
  auto add = [&](llvm::StringRef fill, llvm::StringRef stroke, int strokeWidth,
                 llvm::StringRef text) {
    os << formatv("<rect x=\"{0:F1}\" y=\"{1:F1}\" width=\"14\" "
                  "height=\"14\" fill=\"{2}\" stroke=\"{3}\" "
                  "stroke-width=\"{4}\"/>\n",
                  x, legendTop, fill, stroke, strokeWidth);
    drawText(x + 20, legendTop + 11, "fill=\"#333\"", text);
    x += 40 + text.size() * characterWidth;
  };
  std::set<KernelFamily> families;
  for (const WorkspaceBuffer &buffer : info.buffers)
    if (std::optional<KernelFamily> family = getFamily(buffer))
      families.insert(*family);
  for (KernelFamily family : families)
    add(getFamilyColor(family), "#333", 1, stringifyKernelFamily(family));
  add("none", peakColor, 3, "kept at the peak");
}

/// A band behind the buffers.
void PlanDrawing::drawPeak() {
  os << formatv("<rect x=\"{0:F1}\" y=\"{1:F1}\" width=\"{2:F1}\" "
                "height=\"{3:F1}\" fill=\"{4}\" fill-opacity=\"0.12\"/>\n",
                getX(peakStep), top, stepWidth, height, peakColor);
}

void PlanDrawing::listPeak() {
  double y = peakTop + lineHeight;
  drawText(left, y, "font-weight=\"bold\"",
           formatv("peak, step {0}: {1} in {2} {3}", peakStep,
                   formatBytes(info.workspaceLowerBound), owners.size(),
                   owners.size() == 1 ? "buffer" : "buffers")
               .str());
  for (const WorkspaceBuffer *buffer :
       llvm::ArrayRef(owners).take_front(maxListed)) {
    y += lineHeight;
    drawText(left + 80, y, "text-anchor=\"end\"", formatBytes(buffer->bytes));
    drawText(left + 92, y, "",
             clip(buffer->ops + "  " + buffer->location, width - 92));
  }
  if (owners.size() > maxListed)
    drawText(left + 92, y + lineHeight, "fill=\"#555\"",
             formatv("and {0} more", owners.size() - maxListed).str());
}

void PlanDrawing::draw() {
  drawHeading();
  drawOffsets();
  drawSteps();
  if (info.buffers.empty()) {
    drawText(getX(0) + 8, getY(0) - 8, "", "No result is kept.");
  } else {
    drawPeak();
    drawLegend();
    listPeak();
  }
  for (const WorkspaceBuffer &buffer : info.buffers)
    drawBuffer(buffer);
  drawLowerBound();
}

void hamkaas::drawMemoryPlan(const ProgramInfo &info, llvm::raw_ostream &os) {
  std::string title = info.name + ": plan of the workspace";
  std::vector<PlanDrawing> plans;
  double width = 0, height = 0;
  for (const FunctionInfo *function : info.functions()) {
    bool isOnly = info.furtherFunctions.empty();
    plans.emplace_back(
        *function, isOnly ? title : title + " of " + function->function, os);
    width = std::max(width, plans.back().getWidth());
    height += plans.back().getHeight();
  }
  os << formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:F0}\" "
                "height=\"{1:F0}\" font-family=\"sans-serif\" "
                "font-size=\"12\">\n",
                width, height);
  os << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  double top = 0;
  for (PlanDrawing &plan : plans) {
    os << formatv("<g transform=\"translate(0 {0:F1})\">\n", top);
    plan.draw();
    os << "</g>\n";
    top += plan.getHeight();
  }
  os << "</svg>\n";
}
