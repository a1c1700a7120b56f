//===- StageTimes.h - How long each stage of a compilation took -*- C++ -*-===//

#ifndef OCTAVO_CODEGEN_STAGETIMES_H
#define OCTAVO_CODEGEN_STAGETIMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <chrono>
#include <string>
#include <utility>

namespace octavo {

/// Milliseconds of each stage in the order in which the stages ran.
class StageTimes {
public:
  /// Starts the clock of the first stage.
  StageTimes() : last(Clock::now()) {}

  /// Ends the running stage under `name` and starts the next. A name that was
  /// used before is added to.
  void finish(llvm::StringRef name) {
    Clock::time_point now = Clock::now();
    double ms = std::chrono::duration<double, std::milli>(now - last).count();
    last = now;
    for (auto &[known, sum] : stages)
      if (known == name) {
        sum += ms;
        return;
      }
    stages.push_back({name.str(), ms});
  }

  /// Adds the stages of a part that ran meanwhile; the running stage begins
  /// where the part ended.
  void append(const StageTimes &part) {
    last = part.last;
    stages.append(part.stages.begin(), part.stages.end());
  }

  /// Name and milliseconds of every stage.
  llvm::ArrayRef<std::pair<std::string, double>> get() const { return stages; }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last;
  llvm::SmallVector<std::pair<std::string, double>> stages;
};

} // namespace octavo

#endif // OCTAVO_CODEGEN_STAGETIMES_H
