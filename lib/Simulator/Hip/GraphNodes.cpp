//===- GraphNodes.cpp - Making, reading and changing nodes ----------------===//

#include "lib/Simulator/Hip/GraphApi.h"
#include "lib/Simulator/Hip/Launch.h"
#include "lib/Simulator/Hip/Module.h"

using namespace octavo;
using namespace octavo::hip;

/// The command of the node in the graph, or of its twin in an instance.
static Command *findCommand(hipGraphExec_t exec, hipGraphNode_t handle) {
  GraphNode *node = exec ? findInExec(exec, handle) : findNode(handle);
  return node ? &node->command : nullptr;
}

/// Replaces the command of a node of the same kind.
template <typename T>
static hipError_t setCommand(hipGraphExec_t exec, hipGraphNode_t handle,
                             T &&command, const char *function) {
  std::lock_guard lock(getStreamMutex());
  Command *old = findCommand(exec, handle);
  if (!old || !std::holds_alternative<std::decay_t<T>>(*old))
    return badGraphArgument(function);
  *old = std::forward<T>(command);
  return hipSuccess;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static hipError_t makeKernel(const hipKernelNodeParams *p,
                             KernelCommand &command) {
  if (!p || !p->func)
    return fail(hipErrorInvalidValue, "kernel node: no function");
  // HIP takes a hipFunction_t or the host function of a kernel.
  auto *function = static_cast<Function *>(p->func);
  if (!getState().functions.contains(function))
    function = getHostFunction(p->func);
  if (!function)
    return hipErrorInvalidDeviceFunction;
  LaunchShape shape = {p->gridDim, p->blockDim, {}, p->sharedMemBytes};
  return makeKernelCommand(function, shape, p->kernelParams, p->extra, command);
}

OCTAVO_HIP_API hipError_t
hipGraphAddKernelNode(hipGraphNode_t *result, hipGraph_t graph,
                      const hipGraphNode_t *dependencies, size_t count,
                      const hipKernelNodeParams *parameters) {
  KernelCommand command;
  if (hipError_t error = makeKernel(parameters, command))
    return error;
  return addApiNode(result, graph, dependencies, count, std::move(command),
                    "hipGraphAddKernelNode");
}

OCTAVO_HIP_API hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t handle,
                                                      hipKernelNodeParams *p) {
  GraphNode *node = findNode(handle);
  auto *command = node ? std::get_if<KernelCommand>(&node->command) : nullptr;
  if (!command || !p)
    return badGraphArgument("hipGraphKernelNodeGetParams");
  node->parameterPointers.clear();
  for (const sim::KernelArgument &argument : command->kernel->arguments)
    if (!argument.isHidden())
      node->parameterPointers.push_back(command->arguments.data() +
                                        argument.offset);
  *p = {command->block,
        nullptr,
        command->function,
        command->grid,
        node->parameterPointers.data(),
        command->dynamicLdsBytes};
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipGraphExecKernelNodeSetParams(
    hipGraphExec_t exec, hipGraphNode_t node, const hipKernelNodeParams *p) {
  KernelCommand command;
  if (hipError_t error = makeKernel(p, command))
    return error;
  return setCommand(exec, node, std::move(command),
                    "hipGraphExecKernelNodeSetParams");
}

OCTAVO_HIP_API hipError_t
hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams *p) {
  return hipGraphExecKernelNodeSetParams(nullptr, node, p);
}

OCTAVO_HIP_API hipError_t hipGraphKernelNodeSetAttribute(hipGraphNode_t handle,
                                                         int id,
                                                         const void *value) {
  GraphNode *node = findNode(handle);
  auto *command = node ? std::get_if<KernelCommand>(&node->command) : nullptr;
  if (!command || !value)
    return badGraphArgument("hipGraphKernelNodeSetAttribute");
  if (id == hipLaunchAttributeCooperative)
    command->cooperative = *static_cast<const int *>(value) != 0;
  return hipSuccess;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static hipError_t makeCopy(void *dst, const void *src, size_t bytes, int kind,
                           CopyCommand &command) {
  if (!dst || !src)
    return fail(hipErrorInvalidValue, "copy node: null pointer");
  command.dst = dst;
  command.src = src;
  command.extent = {bytes, 1, 1};
  command.kind = static_cast<hipMemcpyKind>(kind);
  return hipSuccess;
}

static hipError_t makeCopy(const hipMemcpy3DParms *p, CopyCommand &command) {
  if (!p)
    return fail(hipErrorInvalidValue, "copy node: null pointer");
  if (p->srcArray || p->dstArray)
    return failMissing("copy nodes with arrays");
  if (!makeCopyCommand(*p, command))
    return fail(hipErrorInvalidValue, "copy node: null pointer or bad pitch");
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t
hipGraphAddMemcpyNode1D(hipGraphNode_t *result, hipGraph_t graph,
                        const hipGraphNode_t *dependencies, size_t count,
                        void *dst, const void *src, size_t bytes, int kind) {
  CopyCommand command;
  if (hipError_t error = makeCopy(dst, src, bytes, kind, command))
    return error;
  return addApiNode(result, graph, dependencies, count, command,
                    "hipGraphAddMemcpyNode1D");
}

OCTAVO_HIP_API hipError_t hipGraphExecMemcpyNodeSetParams1D(
    hipGraphExec_t exec, hipGraphNode_t node, void *dst, const void *src,
    size_t bytes, int kind) {
  CopyCommand command;
  if (hipError_t error = makeCopy(dst, src, bytes, kind, command))
    return error;
  return setCommand(exec, node, command, "hipGraphExecMemcpyNodeSetParams1D");
}

OCTAVO_HIP_API hipError_t hipGraphMemcpyNodeSetParams1D(
    hipGraphNode_t node, void *dst, const void *src, size_t bytes, int kind) {
  return hipGraphExecMemcpyNodeSetParams1D(nullptr, node, dst, src, bytes,
                                           kind);
}

OCTAVO_HIP_API hipError_t
hipGraphAddMemcpyNode(hipGraphNode_t *result, hipGraph_t graph,
                      const hipGraphNode_t *dependencies, size_t count,
                      const hipMemcpy3DParms *p) {
  CopyCommand command;
  if (hipError_t error = makeCopy(p, command))
    return error;
  return addApiNode(result, graph, dependencies, count, command,
                    "hipGraphAddMemcpyNode");
}

OCTAVO_HIP_API hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t exec,
                                                          hipGraphNode_t node,
                                                          hipMemcpy3DParms *p) {
  CopyCommand command;
  if (hipError_t error = makeCopy(p, command))
    return error;
  return setCommand(exec, node, command, "hipGraphExecMemcpyNodeSetParams");
}

OCTAVO_HIP_API hipError_t
hipGraphMemcpyNodeSetParams(hipGraphNode_t node, const hipMemcpy3DParms *p) {
  return hipGraphExecMemcpyNodeSetParams(nullptr, node,
                                         const_cast<hipMemcpy3DParms *>(p));
}

OCTAVO_HIP_API hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t node,
                                                      hipMemcpy3DParms *p) {
  Command *found = findCommand(nullptr, node);
  auto *copy = found ? std::get_if<CopyCommand>(found) : nullptr;
  if (!copy || !p)
    return badGraphArgument("hipGraphMemcpyNodeGetParams");
  auto rows = [](size_t slice, size_t pitch) {
    return pitch ? slice / pitch : 1;
  };
  *p = {};
  p->srcPtr = {const_cast<void *>(copy->src), copy->srcPitch,
               copy->extent.width, rows(copy->srcSlice, copy->srcPitch)};
  p->dstPtr = {copy->dst, copy->dstPitch, copy->extent.width,
               rows(copy->dstSlice, copy->dstPitch)};
  p->extent = copy->extent;
  p->kind = copy->kind;
  return hipSuccess;
}

//===----------------------------------------------------------------------===//
// Fills
//===----------------------------------------------------------------------===//

static hipError_t makeFill(const hipMemsetParams *p, FillCommand &command) {
  if (!p || !p->dst ||
      (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4) ||
      reinterpret_cast<uintptr_t>(p->dst) % p->elementSize != 0 ||
      p->width > SIZE_MAX / 4 ||
      (p->height > 1 && p->pitch < p->width * p->elementSize))
    return fail(hipErrorInvalidValue,
                "fill node: bad address, element size or pitch");
  command = {p->dst,   p->pitch,       0,
             p->value, p->elementSize, {p->width, p->height, 1}};
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t
hipGraphAddMemsetNode(hipGraphNode_t *result, hipGraph_t graph,
                      const hipGraphNode_t *dependencies, size_t count,
                      const hipMemsetParams *p) {
  FillCommand command;
  if (hipError_t error = makeFill(p, command))
    return error;
  return addApiNode(result, graph, dependencies, count, command,
                    "hipGraphAddMemsetNode");
}

OCTAVO_HIP_API hipError_t hipGraphExecMemsetNodeSetParams(
    hipGraphExec_t exec, hipGraphNode_t node, const hipMemsetParams *p) {
  FillCommand command;
  if (hipError_t error = makeFill(p, command))
    return error;
  return setCommand(exec, node, command, "hipGraphExecMemsetNodeSetParams");
}

OCTAVO_HIP_API hipError_t
hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hipMemsetParams *p) {
  return hipGraphExecMemsetNodeSetParams(nullptr, node, p);
}

OCTAVO_HIP_API hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node,
                                                      hipMemsetParams *p) {
  Command *found = findCommand(nullptr, node);
  auto *fill = found ? std::get_if<FillCommand>(found) : nullptr;
  if (!fill || !p)
    return badGraphArgument("hipGraphMemsetNodeGetParams");
  *p = {fill->dst,   fill->elementBytes, fill->extent.height,
        fill->pitch, fill->value,        fill->extent.width};
  return hipSuccess;
}

//===----------------------------------------------------------------------===//
// Host functions, events, children, joins, memory
//===----------------------------------------------------------------------===//

OCTAVO_HIP_API hipError_t
hipGraphAddHostNode(hipGraphNode_t *result, hipGraph_t graph,
                    const hipGraphNode_t *dependencies, size_t count,
                    const hipHostNodeParams *p) {
  if (!p || !p->fn)
    return badGraphArgument("hipGraphAddHostNode");
  return addApiNode(result, graph, dependencies, count,
                    HostCommand{p->fn, p->userData}, "hipGraphAddHostNode");
}

OCTAVO_HIP_API hipError_t hipGraphExecHostNodeSetParams(
    hipGraphExec_t exec, hipGraphNode_t node, const hipHostNodeParams *p) {
  if (!p || !p->fn)
    return badGraphArgument("hipGraphHostNodeSetParams");
  return setCommand(exec, node, HostCommand{p->fn, p->userData},
                    "hipGraphHostNodeSetParams");
}

OCTAVO_HIP_API hipError_t
hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams *p) {
  return hipGraphExecHostNodeSetParams(nullptr, node, p);
}

OCTAVO_HIP_API hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node,
                                                    hipHostNodeParams *p) {
  Command *found = findCommand(nullptr, node);
  auto *host = found ? std::get_if<HostCommand>(found) : nullptr;
  if (!host || !p)
    return badGraphArgument("hipGraphHostNodeGetParams");
  *p = {host->function, host->data};
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipGraphAddChildGraphNode(
    hipGraphNode_t *result, hipGraph_t graph,
    const hipGraphNode_t *dependencies, size_t count, hipGraph_t child) {
  std::shared_ptr<Graph> copy = isGraph(child) ? copyGraph(*child) : nullptr;
  if (!copy)
    return badGraphArgument("hipGraphAddChildGraphNode");
  return addApiNode(result, graph, dependencies, count,
                    ChildCommand{std::move(copy)}, "hipGraphAddChildGraphNode");
}

OCTAVO_HIP_API hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node,
                                                         hipGraph_t *graph) {
  Command *found = findCommand(nullptr, node);
  auto *child = found ? std::get_if<ChildCommand>(found) : nullptr;
  if (!child || !graph)
    return badGraphArgument("hipGraphChildGraphNodeGetGraph");
  *graph = getState().graphs.add(child->graph);
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t
hipGraphAddEmptyNode(hipGraphNode_t *result, hipGraph_t graph,
                     const hipGraphNode_t *dependencies, size_t count) {
  return addApiNode(result, graph, dependencies, count, EmptyCommand{},
                    "hipGraphAddEmptyNode");
}

OCTAVO_HIP_API hipError_t hipGraphAddEventRecordNode(
    hipGraphNode_t *result, hipGraph_t graph,
    const hipGraphNode_t *dependencies, size_t count, hipEvent_t event) {
  if (!getState().events.contains(event))
    return badGraphArgument("hipGraphAddEventRecordNode");
  return addApiNode(result, graph, dependencies, count, RecordCommand{event},
                    "hipGraphAddEventRecordNode");
}

OCTAVO_HIP_API hipError_t hipGraphAddEventWaitNode(
    hipGraphNode_t *result, hipGraph_t graph,
    const hipGraphNode_t *dependencies, size_t count, hipEvent_t event) {
  if (!getState().events.contains(event))
    return badGraphArgument("hipGraphAddEventWaitNode");
  return addApiNode(result, graph, dependencies, count, WaitCommand{event},
                    "hipGraphAddEventWaitNode");
}

OCTAVO_HIP_API hipError_t hipGraphAddMemFreeNode(
    hipGraphNode_t *result, hipGraph_t graph,
    const hipGraphNode_t *dependencies, size_t count, void *pointer) {
  if (!pointer)
    return badGraphArgument("hipGraphAddMemFreeNode");
  return addApiNode(result, graph, dependencies, count, FreeCommand{pointer},
                    "hipGraphAddMemFreeNode");
}
