//===- Graph.cpp - Graphs of commands: order, copies, replay --------------===//

#include "lib/Simulator/Hip/Graph.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace octavo;
using namespace octavo::hip;

Graph::~Graph() {
  for (void *pointer : allocations)
    getState().memory.release(pointer);
}

GraphNode *hip::addNode(Graph &graph, Command command,
                        llvm::ArrayRef<GraphNode *> dependencies) {
  auto node = std::make_unique<GraphNode>();
  node->graph = &graph;
  node->command = std::move(command);
  for (GraphNode *dependency : dependencies)
    if (!llvm::is_contained(node->dependencies, dependency))
      node->dependencies.push_back(dependency);
  graph.nodes.push_back(std::move(node));
  return graph.nodes.back().get();
}

/// The nodes so that each comes after those that it waits for, first made
/// first; shorter than the graph if there is a cycle.
static std::vector<const GraphNode *> sortNodes(const Graph &graph) {
  llvm::DenseMap<const GraphNode *, size_t> waitsFor;
  llvm::DenseMap<const GraphNode *, llvm::SmallVector<const GraphNode *, 2>>
      dependents;
  std::vector<const GraphNode *> ready;
  for (auto &node : graph.nodes) {
    waitsFor[node.get()] = node->dependencies.size();
    for (const GraphNode *dependency : node->dependencies)
      dependents[dependency].push_back(node.get());
    if (node->dependencies.empty())
      ready.push_back(node.get());
  }
  for (size_t i = 0; i < ready.size(); ++i)
    for (const GraphNode *next : dependents[ready[i]])
      if (--waitsFor[next] == 0)
        ready.push_back(next);
  return ready;
}

std::shared_ptr<Graph> hip::copyGraph(const Graph &graph) {
  std::vector<const GraphNode *> order = sortNodes(graph);
  if (order.size() != graph.nodes.size())
    return nullptr;
  auto copy = std::make_shared<Graph>();
  copy->id = graph.id;
  llvm::DenseMap<const GraphNode *, GraphNode *> copies;
  for (const GraphNode *node : order) {
    llvm::SmallVector<GraphNode *, 4> dependencies;
    for (const GraphNode *dependency : node->dependencies)
      dependencies.push_back(copies.lookup(dependency));
    GraphNode *twin = addNode(*copy, node->command, dependencies);
    twin->enabled = node->enabled;
    twin->original = node;
    copies[node] = twin;
  }
  return copy;
}

hipError_t hip::runGraph(const Graph &graph, double &endUs, bool timed) {
  llvm::DenseMap<const GraphNode *, double> ends;
  double begin = endUs;
  for (auto &node : graph.nodes) {
    double time = begin;
    for (const GraphNode *dependency : node->dependencies)
      time = std::max(time, ends.lookup(dependency));
    if (node->enabled)
      if (hipError_t error = execute(node->command, time, timed))
        return error;
    ends[node.get()] = time;
    endUs = std::max(endUs, time);
  }
  return hipSuccess;
}
