//===- Run.cpp - run ------------------------------------------------------===//

#include "Prepare.h"

using namespace octavo::sim;

int octavo::sim::runKernel(const RunOptions &options) {
  Prepared prepared;
  if (int code = prepare(options, prepared))
    return code;
  llvm::Expected<LaunchReport> report =
      launch(*prepared.object, *prepared.kernel, prepared.config);
  if (!report)
    return fail(kFailure, report.takeError());
  showCounters(*report);
  if (int code = saveArguments(options, prepared))
    return code;
  if (options.json.empty())
    return kSuccess;
  return writeJsonFile(options.json, [&](llvm::json::OStream &json) {
    writeReport(json, prepared.kernel->name, *report);
  });
}
