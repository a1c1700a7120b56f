//===- GraphApi.h - What the two files of the graph API share ---*- C++ -*-===//

#ifndef OCTAVO_LIB_SIMULATOR_HIP_GRAPHAPI_H
#define OCTAVO_LIB_SIMULATOR_HIP_GRAPHAPI_H

#include "lib/Simulator/Hip/Graph.h"

namespace octavo::hip {

/// True if the handle is live.
bool isGraph(hipGraph_t graph);
/// The node if it is one of a live graph, else null.
GraphNode *findNode(hipGraphNode_t handle);
/// The twin of `original` in an instance, or null.
GraphNode *findInExec(hipGraphExec_t exec, hipGraphNode_t original);
/// Notes hipErrorInvalidValue for `function`.
hipError_t badGraphArgument(const char *function);
/// Checks the arguments that all hipGraphAdd*Node share and adds the node.
hipError_t addApiNode(hipGraphNode_t *result, hipGraph_t graph,
                      const hipGraphNode_t *dependencies, size_t count,
                      Command command, const char *function);

} // namespace octavo::hip

#endif // OCTAVO_LIB_SIMULATOR_HIP_GRAPHAPI_H
