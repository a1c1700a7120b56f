//===- Graph.h - Graphs of commands -----------------------------*- C++ -*-===//
//
// A graph owns its nodes; each is a command and the nodes that it waits for.
// Instantiating copies the graph in an order that respects the edges, and a
// launch runs the copy. In simulated time nodes that do not wait for each other
// overlap.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_LIB_SIMULATOR_HIP_GRAPH_H
#define OCTAVO_LIB_SIMULATOR_HIP_GRAPH_H

#include "lib/Simulator/Hip/Stream.h"

namespace octavo::hip {

struct GraphNode {
  Graph *graph = nullptr;
  Command command;
  llvm::SmallVector<GraphNode *, 2> dependencies;
  bool enabled = true;
  /// The node that this one was copied from, or null.
  const GraphNode *original = nullptr;
  /// Pointers into a kernel's arguments, for hipGraphKernelNodeGetParams.
  llvm::SmallVector<void *, 8> parameterPointers;
};

struct Graph {
  uint64_t id = 0;
  std::vector<std::unique_ptr<GraphNode>> nodes;
  /// Allocations of AllocateCommands that this graph must give back.
  llvm::SmallVector<void *, 2> allocations;

  ~Graph();
};

struct GraphExec {
  /// In an order in which no node comes before one that it waits for.
  std::shared_ptr<Graph> graph;
  unsigned long long flags = 0;
};

/// Adds a node that waits for `dependencies`.
GraphNode *addNode(Graph &graph, Command command,
                   llvm::ArrayRef<GraphNode *> dependencies);

/// A copy of `graph` in topological order; null if there is a cycle.
std::shared_ptr<Graph> copyGraph(const Graph &graph);

/// Runs the nodes of a copied graph, from `endUs` on.
hipError_t runGraph(const Graph &graph, double &endUs, bool timed);

} // namespace octavo::hip

#endif // OCTAVO_LIB_SIMULATOR_HIP_GRAPH_H
