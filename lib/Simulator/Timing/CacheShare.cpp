//===- CacheShare.cpp - One unit's share of a shared cache ----------------===//

#include "lib/Simulator/Timing/CacheShare.h"

using namespace octavo::sim;

bool CacheShare::touch(uint64_t line, double weight) {
  auto [found, isNew] = entries.try_emplace(line, Entry{now, weight});
  found->second.stamp = now;
  if (isNew)
    used += weight;
  order.push_back({line, now});
  ++now;
  while (used > capacity && order.size() > 1) {
    auto [oldest, stamp] = order.front();
    order.pop_front();
    auto entry = entries.find(oldest);
    if (entry == entries.end() || entry->second.stamp != stamp)
      continue;
    used -= entry->second.weight;
    entries.erase(entry);
  }
  return !isNew;
}
