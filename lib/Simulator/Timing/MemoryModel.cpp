//===- MemoryModel.cpp - Vector memory as one compute unit sees it --------===//

#include "lib/Simulator/Timing/MemoryModel.h"

#include <algorithm>
#include <cmath>

using namespace octavo::sim;

MemoryModel::MemoryModel(const TimingConstants &constants,
                         const MemoryShare &share,
                         llvm::ArrayRef<SharingDegree> sharing)
    : constants(constants), sharing(sharing),
      l2(constants.l2Bytes / constants.lineBytes /
         std::max(1u, share.activeUnitsPerXcd)),
      mall(constants.mallBytes / constants.lineBytes /
           std::max(1u, share.activeUnits)) {
  double perXcd = std::max(1u, share.activeUnitsPerXcd);
  double all = std::max(1u, share.activeUnits);
  // GB/s over MHz is 1000 bytes a clk.
  double bytesPerClk = 1e3 / share.clockMHz / all;
  l2Rate = constants.l2ReadBytesPerClk / perXcd;
  l2WriteRate = constants.l2WriteBytesPerClk / perXcd;
  mallRate = constants.mallGBps * bytesPerClk;
  hbmRate = share.hbmGBps * bytesPerClk;
  l1.resize(size_t(constants.l1Bytes / constants.lineBytes));
}

uint64_t MemoryModel::place(uint64_t line) {
  constexpr uint64_t pageBytes = 4096;
  uint64_t perPage = pageBytes / uint64_t(constants.lineBytes);
  uint64_t page = pages.try_emplace(line / perPage, pages.size()).first->second;
  return page * perPage + line % perPage;
}

uint64_t MemoryModel::nextAccept() const {
  double limit = l1Free - constants.memoryQueueCycles;
  return limit > 0 ? uint64_t(limit) : 0;
}

double MemoryModel::pass(double &queue, double cycle, double bytes,
                         double rate) {
  queue = std::max(queue, cycle) + bytes / rate;
  return queue;
}

double MemoryModel::passHbm(double cycle, double bytes, bool isWrite) {
  (isWrite ? moved.hbmWrite : moved.hbmRead) += bytes;
  double sum = moved.hbmRead + moved.hbmWrite;
  double mixed = 2 * std::min(moved.hbmRead, moved.hbmWrite) / sum;
  double alone = isWrite ? constants.hbmWriteShare : constants.hbmReadShare;
  double efficiency = alone + mixed * (constants.hbmMixedShare - alone);
  return pass(hbmFree, cycle, bytes, hbmRate * efficiency);
}

MemoryModel::L1Line &MemoryModel::lookupL1(uint64_t line) {
  auto ways = ptrdiff_t(constants.l1Ways);
  size_t sets = l1.size() / size_t(ways);
  auto set = l1.begin() + ptrdiff_t(line % sets) * ways;
  auto found = std::find_if(
      set, set + ways, [&](const L1Line &one) { return one.tag == line + 1; });
  if (found == set + ways)
    --found;
  std::rotate(set, found, found + 1);
  return *set;
}

MemoryLevel MemoryModel::findLevel(uint64_t line, uint32_t instIndex) {
  SharingDegree degree =
      instIndex < sharing.size() ? sharing[instIndex] : SharingDegree();
  // One of the workgroups that share a line fetches it into L2, and one XCD of
  // those that share it fetches it from HBM.
  double missesL2 = 1 / std::max(1.0, degree.onXcd);
  double missesMall = 1 / std::max(1.0, degree.inGrid);
  bool inL2 = l2.touch(line, missesL2), inMall = mall.touch(line, missesMall);
  if (inL2)
    return MemoryLevel::L2;
  // A number in [0, 1) that is fixed for the line.
  uint64_t hash = (line ^ line >> 30) * 0xbf58476d1ce4e5b9u;
  hash = (hash ^ hash >> 27) * 0x94d049bb133111ebu;
  double chance = double((hash ^ hash >> 31) >> 11) * 0x1p-53;
  if (chance < missesMall && !inMall)
    return MemoryLevel::Hbm;
  return chance < missesL2 ? MemoryLevel::Mall : MemoryLevel::L2;
}

uint64_t MemoryModel::access(uint64_t cycle, const TraceInst &inst,
                             uint32_t instIndex, const TraceAccess &access,
                             llvm::ArrayRef<uint64_t> lines) {
  double sectorBytes = 64;
  double bytes = access.sectors * sectorBytes;
  double cost =
      std::max(constants.addressCycles, bytes / constants.l1BytesPerClk);
  double start = std::max(l1Free, double(cycle));
  l1Free = start + cost;
  moved.l1 += bytes;
  double done = l1Free + constants.l1Latency;
  if (inst.isStore || inst.isAtomic) {
    // L1 writes through; L2 merges parts of a sector and evicts them once.
    double left = pass(l2WriteFree, start, bytes, l2WriteRate);
    passHbm(start, std::min<double>(bytes, access.bytes), /*isWrite=*/true);
    moved.l2 += bytes;
    for (uint64_t line : lines) {
      l2.touch(line, 1);
      mall.touch(line, 1);
    }
    return uint64_t(std::ceil(std::max(done, left + constants.l2Latency)));
  }
  double perLine = lines.empty() ? 0 : bytes / double(lines.size());
  for (uint64_t line : lines) {
    L1Line &cached = lookupL1(line);
    if (cached.tag == line + 1) {
      done = std::max(done, cached.ready);
      continue;
    }
    MemoryLevel level = findLevel(line, instIndex);
    double left = pass(l2Free, start, perLine, l2Rate);
    double latency = constants.l2Latency;
    moved.l2 += perLine;
    if (level >= MemoryLevel::Mall) {
      // Below L2 whole lines move.
      left =
          std::max(left, pass(mallFree, start, constants.lineBytes, mallRate));
      latency = constants.mallLatency;
      moved.mall += constants.lineBytes;
    }
    if (level == MemoryLevel::Hbm) {
      left = std::max(left, passHbm(start, constants.lineBytes, false));
      latency = constants.hbmLatency;
    }
    cached = {line + 1, left + latency};
    done = std::max(done, cached.ready);
  }
  return uint64_t(std::ceil(done));
}

uint64_t MemoryModel::accessScalar(uint64_t cycle,
                                   llvm::ArrayRef<uint64_t> lines) {
  bool isCold = false;
  for (uint64_t line : lines)
    isCold |= scalarSeen.insert(line).second;
  return cycle + uint64_t(isCold ? constants.scalarColdLatency
                                 : constants.scalarHitLatency);
}
