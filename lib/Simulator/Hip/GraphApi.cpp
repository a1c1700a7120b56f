//===- GraphApi.cpp - Graphs, instances, nodes and edges ------------------===//

#include "lib/Simulator/Hip/GraphApi.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace octavo;
using namespace octavo::hip;

static std::atomic<uint64_t> nextGraphId{1};

bool hip::isGraph(hipGraph_t graph) {
  return getState().graphs.contains(graph);
}

GraphNode *hip::findNode(hipGraphNode_t handle) {
  GraphNode *found = nullptr;
  getState().graphs.forEach([&](Graph &graph) {
    for (auto &node : graph.nodes)
      if (node.get() == handle)
        found = handle;
  });
  return found;
}

hipError_t hip::badGraphArgument(const char *function) {
  return fail(hipErrorInvalidValue,
              llvm::Twine(function) + ": no such graph, node or result");
}

hipError_t hip::addApiNode(hipGraphNode_t *result, hipGraph_t graph,
                           const hipGraphNode_t *dependencies, size_t count,
                           Command command, const char *function) {
  if (!result || !isGraph(graph) || (count && !dependencies))
    return badGraphArgument(function);
  for (size_t i = 0; i < count; ++i)
    if (llvm::none_of(graph->nodes, [&](auto &node) {
          return node.get() == dependencies[i];
        }))
      return badGraphArgument(function);
  std::lock_guard lock(getStreamMutex());
  *result = addNode(*graph, std::move(command), {dependencies, count});
  return hipSuccess;
}

GraphNode *hip::findInExec(hipGraphExec_t exec, hipGraphNode_t original) {
  if (!getState().graphExecs.contains(exec))
    return nullptr;
  for (auto &node : exec->graph->nodes)
    if (node->original == original)
      return node.get();
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

OCTAVO_HIP_API hipError_t hipGraphCreate(hipGraph_t *graph, unsigned flags) {
  if (!graph || flags != 0)
    return badGraphArgument("hipGraphCreate");
  auto object = std::make_shared<Graph>();
  object->id = nextGraphId++;
  *graph = getState().graphs.add(std::move(object));
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipGraphDestroy(hipGraph_t graph) {
  return getState().graphs.remove(graph) ? hipSuccess
                                         : badGraphArgument("hipGraphDestroy");
}

OCTAVO_HIP_API hipError_t hipGraphClone(hipGraph_t *clone, hipGraph_t graph) {
  if (!clone || !isGraph(graph))
    return badGraphArgument("hipGraphClone");
  std::shared_ptr<Graph> copy = copyGraph(*graph);
  if (!copy)
    return fail(hipErrorInvalidValue, "hipGraphClone: the graph has a cycle");
  *clone = getState().graphs.add(std::move(copy));
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipGraphNodeFindInClone(hipGraphNode_t *result,
                                                  hipGraphNode_t original,
                                                  hipGraph_t clone) {
  if (!result || !isGraph(clone))
    return badGraphArgument("hipGraphNodeFindInClone");
  for (auto &node : clone->nodes)
    if (node->original == original) {
      *result = node.get();
      return hipSuccess;
    }
  return badGraphArgument("hipGraphNodeFindInClone");
}

/// The API's habit for lists: without an array it says how many there are.
static hipError_t putList(llvm::ArrayRef<GraphNode *> list,
                          hipGraphNode_t *nodes, size_t *count) {
  if (!nodes) {
    *count = list.size();
    return hipSuccess;
  }
  for (size_t i = 0; i < *count; ++i)
    nodes[i] = i < list.size() ? list[i] : nullptr;
  *count = std::min(*count, list.size());
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipGraphGetNodes(hipGraph_t graph,
                                           hipGraphNode_t *nodes,
                                           size_t *count) {
  if (!count || !isGraph(graph))
    return badGraphArgument("hipGraphGetNodes");
  llvm::SmallVector<GraphNode *> list;
  for (auto &node : graph->nodes)
    list.push_back(node.get());
  return putList(list, nodes, count);
}

OCTAVO_HIP_API hipError_t hipGraphGetRootNodes(hipGraph_t graph,
                                               hipGraphNode_t *nodes,
                                               size_t *count) {
  if (!count || !isGraph(graph))
    return badGraphArgument("hipGraphGetRootNodes");
  llvm::SmallVector<GraphNode *> list;
  for (auto &node : graph->nodes)
    if (node->dependencies.empty())
      list.push_back(node.get());
  return putList(list, nodes, count);
}

OCTAVO_HIP_API hipError_t hipGraphGetEdges(hipGraph_t graph,
                                           hipGraphNode_t *from,
                                           hipGraphNode_t *to, size_t *count) {
  if (!count || !isGraph(graph))
    return badGraphArgument("hipGraphGetEdges");
  llvm::SmallVector<GraphNode *> sources, targets;
  for (auto &node : graph->nodes)
    for (GraphNode *dependency : node->dependencies) {
      sources.push_back(dependency);
      targets.push_back(node.get());
    }
  size_t targetCount = *count;
  if (to)
    putList(targets, to, &targetCount);
  return putList(sources, from, count);
}

OCTAVO_HIP_API hipError_t hipGraphNodeGetDependencies(hipGraphNode_t handle,
                                                      hipGraphNode_t *nodes,
                                                      size_t *count) {
  GraphNode *node = findNode(handle);
  if (!node || !count)
    return badGraphArgument("hipGraphNodeGetDependencies");
  return putList(node->dependencies, nodes, count);
}

OCTAVO_HIP_API hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t handle,
                                                        hipGraphNode_t *nodes,
                                                        size_t *count) {
  GraphNode *node = findNode(handle);
  if (!node || !count)
    return badGraphArgument("hipGraphNodeGetDependentNodes");
  llvm::SmallVector<GraphNode *> list;
  for (auto &other : node->graph->nodes)
    if (llvm::is_contained(other->dependencies, node))
      list.push_back(other.get());
  return putList(list, nodes, count);
}

OCTAVO_HIP_API hipError_t hipGraphAddDependencies(hipGraph_t graph,
                                                  const hipGraphNode_t *from,
                                                  const hipGraphNode_t *to,
                                                  size_t count) {
  if (!isGraph(graph) || (count && (!from || !to)))
    return badGraphArgument("hipGraphAddDependencies");
  for (size_t i = 0; i < count; ++i) {
    GraphNode *source = findNode(from[i]), *target = findNode(to[i]);
    if (!source || !target || source->graph != graph ||
        target->graph != graph || source == target ||
        llvm::is_contained(target->dependencies, source))
      return badGraphArgument("hipGraphAddDependencies");
    target->dependencies.push_back(source);
  }
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipGraphRemoveDependencies(hipGraph_t graph,
                                                     const hipGraphNode_t *from,
                                                     const hipGraphNode_t *to,
                                                     size_t count) {
  if (!isGraph(graph) || (count && (!from || !to)))
    return badGraphArgument("hipGraphRemoveDependencies");
  for (size_t i = 0; i < count; ++i) {
    GraphNode *target = findNode(to[i]);
    auto *edge = target ? llvm::find(target->dependencies, from[i]) : nullptr;
    if (!target || edge == target->dependencies.end())
      return badGraphArgument("hipGraphRemoveDependencies");
    target->dependencies.erase(edge);
  }
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipGraphDestroyNode(hipGraphNode_t handle) {
  GraphNode *node = findNode(handle);
  if (!node)
    return badGraphArgument("hipGraphDestroyNode");
  Graph *graph = node->graph;
  for (auto &other : graph->nodes)
    llvm::erase(other->dependencies, node);
  llvm::erase_if(graph->nodes,
                 [&](auto &entry) { return entry.get() == node; });
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipGraphNodeGetType(hipGraphNode_t handle,
                                              hipGraphNodeType *type) {
  GraphNode *node = findNode(handle);
  if (!node || !type)
    return badGraphArgument("hipGraphNodeGetType");
  // In the order of Command.
  static constexpr hipGraphNodeType kTypes[] = {
      hipGraphNodeTypeKernel,      hipGraphNodeTypeMemcpy,
      hipGraphNodeTypeMemset,      hipGraphNodeTypeHost,
      hipGraphNodeTypeEventRecord, hipGraphNodeTypeWaitEvent,
      hipGraphNodeTypeGraph,       hipGraphNodeTypeEmpty,
      hipGraphNodeTypeMemAlloc,    hipGraphNodeTypeMemFree};
  static_assert(std::size(kTypes) == std::variant_size_v<Command>);
  *type = kTypes[node->command.index()];
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipGraphDebugDotPrint(hipGraph_t graph,
                                                const char *path, unsigned) {
  if (!isGraph(graph) || !path)
    return badGraphArgument("hipGraphDebugDotPrint");
  std::error_code code;
  llvm::raw_fd_ostream file(path, code);
  if (code)
    return fail(hipErrorOperatingSystem,
                llvm::Twine(path) + ": " + code.message());
  file << "digraph {\n";
  for (auto [index, node] : llvm::enumerate(graph->nodes)) {
    auto *kernel = std::get_if<KernelCommand>(&node->command);
    file << "  n" << index << " [label=\""
         << (kernel ? kernel->kernel->name : "node") << "\"];\n";
    for (auto [other, candidate] : llvm::enumerate(graph->nodes))
      if (llvm::is_contained(node->dependencies, candidate.get()))
        file << "  n" << other << " -> n" << index << ";\n";
  }
  file << "}\n";
  return hipSuccess;
}

//===----------------------------------------------------------------------===//
// Instances
//===----------------------------------------------------------------------===//

OCTAVO_HIP_API hipError_t hipGraphInstantiateWithFlags(
    hipGraphExec_t *result, hipGraph_t graph, unsigned long long flags) {
  if (!result || !isGraph(graph))
    return badGraphArgument("hipGraphInstantiate");
  std::lock_guard lock(getStreamMutex());
  std::shared_ptr<Graph> copy = copyGraph(*graph);
  if (!copy)
    return fail(hipErrorInvalidValue,
                "hipGraphInstantiate: the graph has a cycle");
  auto exec = std::make_shared<GraphExec>();
  exec->graph = std::move(copy);
  exec->flags = flags;
  *result = getState().graphExecs.add(std::move(exec));
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipGraphInstantiate(hipGraphExec_t *result,
                                              hipGraph_t graph,
                                              hipGraphNode_t *errorNode,
                                              char *log, size_t logBytes) {
  if (errorNode)
    *errorNode = nullptr;
  if (log && logBytes)
    *log = 0;
  return hipGraphInstantiateWithFlags(result, graph, 0);
}

OCTAVO_HIP_API hipError_t
hipGraphInstantiateWithParams(hipGraphExec_t *result, hipGraph_t graph,
                              hipGraphInstantiateParams *parameters) {
  if (!parameters)
    return badGraphArgument("hipGraphInstantiateWithParams");
  hipError_t error =
      hipGraphInstantiateWithFlags(result, graph, parameters->flags);
  parameters->result_out = error != hipSuccess;
  parameters->errNode_out = nullptr;
  return error;
}

OCTAVO_HIP_API hipError_t hipGraphExecDestroy(hipGraphExec_t exec) {
  std::lock_guard device(getState().execution);
  return getState().graphExecs.remove(exec)
             ? hipSuccess
             : badGraphArgument("hipGraphExecDestroy");
}

OCTAVO_HIP_API hipError_t hipGraphExecGetFlags(hipGraphExec_t exec,
                                               unsigned long long *flags) {
  if (!flags || !getState().graphExecs.contains(exec))
    return badGraphArgument("hipGraphExecGetFlags");
  *flags = exec->flags;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipGraphUpload(hipGraphExec_t exec,
                                         hipStream_t stream) {
  if (!getState().graphExecs.contains(exec) || !resolve(stream))
    return badGraphArgument("hipGraphUpload");
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipGraphLaunch(hipGraphExec_t exec,
                                         hipStream_t stream) {
  if (!getState().graphExecs.contains(exec))
    return badGraphArgument("hipGraphLaunch");
  return submit(stream, ChildCommand{exec->graph});
}

OCTAVO_HIP_API hipError_t hipGraphExecUpdate(hipGraphExec_t exec,
                                             hipGraph_t graph,
                                             hipGraphNode_t *errorNode,
                                             hipGraphExecUpdateResult *result) {
  if (!result || !isGraph(graph) || !getState().graphExecs.contains(exec))
    return badGraphArgument("hipGraphExecUpdate");
  if (errorNode)
    *errorNode = nullptr;
  std::lock_guard lock(getStreamMutex());
  std::shared_ptr<Graph> copy = copyGraph(*graph);
  auto refuse = [&](hipGraphExecUpdateResult why) {
    *result = why;
    return fail(hipErrorGraphExecUpdateFailure,
                "hipGraphExecUpdate: the graphs differ in their nodes");
  };
  if (!copy || copy->nodes.size() != exec->graph->nodes.size())
    return refuse(hipGraphExecUpdateErrorTopologyChanged);
  for (auto [now, then] : llvm::zip(copy->nodes, exec->graph->nodes)) {
    if (now->command.index() != then->command.index())
      return refuse(hipGraphExecUpdateErrorNodeTypeChanged);
    if (now->dependencies.size() != then->dependencies.size())
      return refuse(hipGraphExecUpdateErrorTopologyChanged);
    // Later calls still name the nodes of the graph that was instantiated.
    now->original = then->original;
    now->enabled = then->enabled;
  }
  exec->graph = std::move(copy);
  *result = hipGraphExecUpdateSuccess;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipGraphNodeSetEnabled(hipGraphExec_t exec,
                                                 hipGraphNode_t node,
                                                 unsigned enabled) {
  GraphNode *twin = findInExec(exec, node);
  if (!twin)
    return badGraphArgument("hipGraphNodeSetEnabled");
  twin->enabled = enabled != 0;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipGraphNodeGetEnabled(hipGraphExec_t exec,
                                                 hipGraphNode_t node,
                                                 unsigned *enabled) {
  GraphNode *twin = findInExec(exec, node);
  if (!twin || !enabled)
    return badGraphArgument("hipGraphNodeGetEnabled");
  *enabled = twin->enabled;
  return hipSuccess;
}
