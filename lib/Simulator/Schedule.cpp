//===- Schedule.cpp - Workgroups over host threads ------------------------===//
//
// Each thread takes the next workgroup and runs it to its end. One whose waves
// all wait for something outside (a lock, a grid barrier) stays resident while
// the thread starts another, so that chains of workgroups make progress.
//
//===----------------------------------------------------------------------===//

#include "Coverage.h"
#include "Execute/Portable/MatrixBinding.h"
#include "HostThreads.h"
#include "Run.h"
#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>

using namespace octavo::sim;

namespace {

struct Shared {
  const LaunchState &launch;
  std::vector<uint64_t> order;
  uint64_t total;
  std::atomic<uint64_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::string error;
  uint64_t failed = ~uint64_t(0);
  LaunchCounters counters;
  std::vector<uint64_t> counts;
};

class Worker {
public:
  explicit Worker(Shared &shared)
      : shared(shared),
        counts(shared.launch.object.program().instructions().size()) {}

  void run() {
    while (!shared.stop) {
      if (residents.empty() && !startNext())
        break;
      if (turn() || startNext()) {
        idleTurns = 0;
        continue;
      }
      const Observer *observer = shared.launch.config.observer;
      unsigned patience = observer ? observer->patience() : 0;
      if (patience && ++idleTurns > patience) {
        residents.front()->endDeadlock();
        fail(*residents.front());
        break;
      }
      std::this_thread::yield();
    }
    finish();
  }

private:
  using Resident = std::unique_ptr<ResidentWorkgroup>;

  bool startNext() {
    uint64_t position = shared.next++;
    if (position >= shared.total)
      return false;
    Resident group = idle ? std::move(idle)
                          : std::make_unique<ResidentWorkgroup>(shared.launch,
                                                                counts.data());
    group->start(shared.order.empty() ? position : shared.order[position]);
    residents.push_back(std::move(group));
    return true;
  }

  /// Gives each resident workgroup a turn; false if all of them wait.
  bool turn() {
    bool finished = false;
    for (size_t i = 0; i < residents.size() && !shared.stop;) {
      ResidentWorkgroup::Outcome outcome = residents[i]->run();
      if (outcome == ResidentWorkgroup::Outcome::Failed)
        return fail(*residents[i]), true;
      if (outcome == ResidentWorkgroup::Outcome::Waiting) {
        ++i;
        continue;
      }
      finished = true;
      residents[i]->addCounters(counters);
      idle = std::move(residents[i]);
      residents.erase(residents.begin() + i);
    }
    return finished;
  }

  /// Of several failures the one of the first workgroup is told.
  void fail(const ResidentWorkgroup &group) {
    std::lock_guard<std::mutex> lock(shared.mutex);
    if (group.linear() < shared.failed) {
      shared.failed = group.linear();
      shared.error = group.error();
    }
    shared.stop = true;
  }

  void finish() {
    std::lock_guard<std::mutex> lock(shared.mutex);
    for (size_t i = 0; i < counts.size(); ++i)
      shared.counts[i] += counts[i];
    LaunchCounters &all = shared.counters;
    all.workgroups += counters.workgroups;
    all.waves += counters.waves;
    all.bytesLoaded += counters.bytesLoaded;
    all.bytesStored += counters.bytesStored;
    all.ldsBytesRead += counters.ldsBytesRead;
    all.ldsBytesWritten += counters.ldsBytesWritten;
  }

  Shared &shared;
  std::vector<uint64_t> counts;
  LaunchCounters counters;
  std::vector<Resident> residents;
  Resident idle;
  unsigned idleTurns = 0;
};

unsigned threadsOf(const LaunchState &launch, uint64_t total) {
  const Options &options = launch.options;
  const Observer *observer = launch.config.observer;
  if ((observer && !observer->allowsThreads()) ||
      (options.deterministic && launch.object.program().hasAtomics()))
    return 1;
  unsigned threads =
      options.threads ? options.threads : std::thread::hardware_concurrency();
  return unsigned(std::clamp<uint64_t>(threads, 1, total));
}

void countInstructions(Shared &shared) {
  const Program &program = shared.launch.object.program();
  LaunchCounters &c = shared.counters;
  uint64_t *classes[] = {&c.scalar, &c.scalarMemory, &c.vector, &c.matrix,
                         &c.lds,    &c.vectorMemory, &c.branch, &c.other};
  for (const Inst &inst : program.instructions()) {
    uint64_t count = shared.counts[inst.ordinal];
    if (!count)
      continue;
    c.waveInstructions += count;
    *classes[unsigned(inst.cls)] += count;
    c.mnemonics[program.mnemonics()[inst.mnemonic].name] += count;
  }
}

std::vector<std::string> matrixModels(const Shared &shared) {
  std::set<std::string> models;
  if (shared.launch.config.skipMatrix)
    return {};
  for (const Inst &inst : shared.launch.object.program().instructions())
    if (inst.matrix && shared.counts[inst.ordinal])
      models.insert(describeMatrix(inst));
  return {models.begin(), models.end()};
}

} // namespace

llvm::Expected<LaunchReport>
octavo::sim::runWorkgroups(const LaunchState &launch) {
  uint64_t total =
      uint64_t(launch.groups[0]) * launch.groups[1] * launch.groups[2];
  Shared shared{launch, {}, total, {0}, {false}, {}, {}, ~uint64_t(0), {}, {}};
  shared.counts.resize(launch.object.program().instructions().size());
  if (launch.config.only) {
    shared.order = launch.config.only->vec();
    shared.total = shared.order.size();
  } else if (launch.options.order) {
    shared.order.resize(total);
    std::iota(shared.order.begin(), shared.order.end(), uint64_t(0));
  }
  if (launch.options.order) {
    std::mt19937_64 random(launch.options.order);
    std::shuffle(shared.order.begin(), shared.order.end(), random);
  }
  if (launch.config.observer)
    launch.config.observer->beginLaunch(launch);
  installFaultHandlers();
  runOnHostThreads(threadsOf(launch, shared.total),
                   [&] { Worker(shared).run(); });
  if (shared.stop)
    return llvm::createStringError(shared.error);
  countInstructions(shared);
  recordCoverage(launch.object.program(), shared.counts);
  LaunchReport report;
  report.counters = std::move(shared.counters);
  report.matrixModels = matrixModels(shared);
  return report;
}
