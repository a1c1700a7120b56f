//===- Launch.cpp - Running one kernel ------------------------------------===//

#include "octavo/Simulator/Device.h"

using namespace octavo::sim;

const Options &octavo::sim::getOptions() {
  static const Options options;
  return options;
}

llvm::Expected<LaunchReport> octavo::sim::launch(const CodeObject &object,
                                                 const KernelDescriptor &kernel,
                                                 const LaunchConfig &config) {
  return llvm::createStringError("launching kernels is not implemented yet");
}
