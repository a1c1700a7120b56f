//===- Picture.cpp - Roofline and waves as SVG ----------------------------===//

#include "Profile.h"

#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>
#include <map>

using namespace octavo::sim;
using llvm::formatv;

static constexpr double kWidth = 960, kLeft = 90, kRight = 20;
static constexpr double kRooflineTop = 50, kRooflineHeight = 300;
static constexpr double kRowHeight = 14;

/// Colours of the causes of waiting, in their order; issuing is green.
static constexpr const char *kColours[] = {
    "#1f77b4", "#9467bd", "#7f7f7f", "#d62728", "#ff7f0e", "#bcbd22", "#8c1d18",
    "#ffbb78", "#c5b0d5", "#aec7e8", "#dddddd", "#17becf", "#f7f7f7"};

namespace {

class Picture {
public:
  Picture(llvm::raw_ostream &os, llvm::StringRef kernel,
          const LaunchPrediction &prediction)
      : os(os), kernel(kernel), prediction(prediction) {}
  void write();

private:
  void text(double x, double y, const std::string &words,
            const char *anchor = "start");
  void line(double x0, double y0, double x1, double y1, const char *colour);
  void rectangle(double x, double y, double width, double height,
                 const char *colour);
  void writeRoofline();
  void writeRoofs(double top);
  void writeWaves(double top);
  double roof(llvm::StringRef resource) const;

  llvm::raw_ostream &os;
  llvm::StringRef kernel;
  const LaunchPrediction &prediction;
};

std::string escape(llvm::StringRef words) {
  std::string out;
  for (char c : words)
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  return out;
}

void Picture::text(double x, double y, const std::string &words,
                   const char *anchor) {
  os << formatv("<text x=\"{0:f1}\" y=\"{1:f1}\" text-anchor=\"{2}\">{3}"
                "</text>\n",
                x, y, anchor, escape(words));
}

void Picture::line(double x0, double y0, double x1, double y1,
                   const char *colour) {
  os << formatv("<line x1=\"{0:f1}\" y1=\"{1:f1}\" x2=\"{2:f1}\" y2=\"{3:f1}\" "
                "stroke=\"{4}\"/>\n",
                x0, y0, x1, y1, colour);
}

void Picture::rectangle(double x, double y, double width, double height,
                        const char *colour) {
  os << formatv("<rect x=\"{0:f2}\" y=\"{1:f1}\" width=\"{2:f2}\" "
                "height=\"{3:f1}\" fill=\"{4}\"/>\n",
                x, y, width, height, colour);
}

double Picture::roof(llvm::StringRef resource) const {
  for (const Roof &one : prediction.roofs)
    if (one.resource == resource)
      return one.microseconds;
  return 0;
}

/// Operations per second over operations per byte, both logarithmic. What
/// counts as an operation is said below the picture.
void Picture::writeRoofline() {
  bool isMatrix = prediction.matrixOperations > 0;
  double work =
      isMatrix ? prediction.matrixOperations : prediction.vectorOperations;
  double flat = roof(isMatrix ? "matrix" : "vector");
  double bytes = prediction.hbmReadBytes + prediction.hbmWriteBytes;
  if (work <= 0 || flat <= 0 || bytes <= 0) {
    text(kLeft, kRooflineTop + 20,
         "no roofline: the launch has no operations or no memory traffic");
    return;
  }
  double peak = work / flat / 1e6,
         reached = work / prediction.microseconds / 1e6;
  struct Level {
    const char *name;
    double bytes;
  };
  const Level levels[] = {{"hbm", bytes},
                          {"mall", prediction.mallBytes},
                          {"l2", prediction.l2Bytes}};
  double xMin = 1e300, xMax = 0;
  for (const Level &level : levels)
    if (level.bytes > 0) {
      xMin = std::min(xMin, work / level.bytes / 8);
      xMax = std::max(xMax, work / level.bytes * 8);
    }
  double ridge = peak * 1e6 / (bytes / roof("hbm"));
  xMax = std::max(xMax, ridge * 4);
  double yMax = peak * 2, yMin = std::min(reached, peak) / 64;
  auto px = [&](double x) {
    return kLeft + std::log(x / xMin) / std::log(xMax / xMin) *
                       (kWidth - kLeft - kRight);
  };
  auto py = [&](double y) {
    y = std::clamp(y, yMin, yMax);
    return kRooflineTop + kRooflineHeight -
           std::log(y / yMin) / std::log(yMax / yMin) * kRooflineHeight;
  };
  rectangle(kLeft, kRooflineTop, kWidth - kLeft - kRight, kRooflineHeight,
            "#fcfcfc");
  line(kLeft, py(peak), kWidth - kRight, py(peak), "black");
  text(kWidth - kRight - 4, py(peak) - 4,
       formatv("{0} {1:f1} T/s", isMatrix ? "matrix" : "vector", peak).str(),
       "end");
  for (const Level &level : levels) {
    double us = roof(level.name);
    if (level.bytes <= 0 || us <= 0)
      continue;
    double rate = level.bytes / us / 1e6; // TB/s
    double from = std::max(xMin, yMin / rate), to = std::min(xMax, peak / rate);
    if (from < to)
      line(px(from), py(from * rate), px(to), py(to * rate), "#1f77b4");
    text(px(from) + 4, py(from * rate) - 4,
         formatv("{0} {1:f2} TB/s", level.name, rate).str());
    double x = px(work / level.bytes), y = py(reached);
    os << formatv("<circle cx=\"{0:f1}\" cy=\"{1:f1}\" r=\"4\" "
                  "fill=\"#d62728\"/>\n",
                  x, y);
    text(x + 6, y + 4, level.name);
  }
  text(kLeft, kRooflineTop + kRooflineHeight + 16,
       formatv("operations a byte, {0:f2} to {1:f0}; this launch: {2:f2} T/s "
               "({3})",
               xMin, xMax, reached,
               isMatrix ? "operations of matrix instructions"
                        : "lane operations of vector instructions")
           .str());
}

void Picture::writeRoofs(double top) {
  double scale = (kWidth - kLeft - 160) / prediction.microseconds;
  text(kLeft, top, "time that each resource alone would take");
  double y = top + 8;
  auto bar = [&](const std::string &name, double us, const char *colour) {
    rectangle(kLeft, y, us * scale, kRowHeight - 3, colour);
    text(kLeft - 6, y + 10, name, "end");
    text(kLeft + us * scale + 4, y + 10, formatv("{0:f2} us", us).str());
    y += kRowHeight;
  };
  bar("predicted", prediction.microseconds, "#333333");
  for (const Roof &one : prediction.roofs)
    bar(one.resource, one.microseconds, "#1f77b4");
}

void Picture::writeWaves(double top) {
  std::map<std::pair<uint32_t, uint32_t>, double> rows;
  uint64_t end = 1;
  for (const TimelineEvent &event : prediction.timeline) {
    rows.try_emplace({event.simd, event.wave}, 0);
    end = std::max(end, event.end);
  }
  text(kLeft, top,
       formatv("waves of the replayed compute unit, cycles 0 to {0}", end)
           .str());
  double y = top + 8;
  for (auto &[key, at] : rows) {
    at = y;
    text(kLeft - 6, y + 10,
         formatv("SIMD {0} wave {1}", key.first, key.second).str(), "end");
    y += kRowHeight;
  }
  double scale = (kWidth - kLeft - kRight) / double(end);
  for (const TimelineEvent &event : prediction.timeline) {
    double row = rows[{event.simd, event.wave}];
    if (event.issue > event.turn)
      rectangle(kLeft + double(event.turn) * scale, row,
                double(event.issue - event.turn) * scale, kRowHeight - 3,
                kColours[event.cause % std::size(kColours)]);
    rectangle(kLeft + double(event.issue) * scale, row,
              double(event.end - event.issue) * scale, kRowHeight - 3,
              "#2ca02c");
  }
  double x = kLeft;
  y += 6;
  auto key = [&](const std::string &name, const char *colour) {
    rectangle(x, y, 10, 10, colour);
    text(x + 14, y + 9, name);
    x += 130;
    if (x + 130 > kWidth) {
      x = kLeft;
      y += kRowHeight;
    }
  };
  key("issue", "#2ca02c");
  for (size_t i = 0; i < prediction.stallCycles.size(); ++i)
    key(prediction.stallCycles[i].first, kColours[i % std::size(kColours)]);
}

void Picture::write() {
  std::map<std::pair<uint32_t, uint32_t>, int> rows;
  for (const TimelineEvent &event : prediction.timeline)
    rows[{event.simd, event.wave}] = 0;
  double roofsTop = kRooflineTop + kRooflineHeight + 44;
  double wavesTop =
      roofsTop + kRowHeight * double(prediction.roofs.size() + 1) + 32;
  double height = wavesTop + kRowHeight * double(rows.size() + 4) + 20;
  os << formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
                "height=\"{1:f0}\" font-family=\"sans-serif\" "
                "font-size=\"11\">\n",
                kWidth, height);
  rectangle(0, 0, kWidth, height, "white");
  text(kLeft, 24,
       formatv("{0}: predicted {1:f2} us, bound by {2}", kernel,
               prediction.microseconds, prediction.bound)
           .str());
  writeRoofline();
  writeRoofs(roofsTop);
  writeWaves(wavesTop);
  os << "</svg>\n";
}

} // namespace

void octavo::sim::writePicture(llvm::raw_ostream &os, llvm::StringRef kernel,
                               const LaunchPrediction &prediction) {
  Picture(os, kernel, prediction).write();
}
