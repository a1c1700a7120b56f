//===- Check.cpp - check --------------------------------------------------===//

#include "Prepare.h"

#include "octavo/Simulator/Check.h"

#include "llvm/Support/raw_ostream.h"

using namespace octavo::sim;

static void writeFinding(llvm::json::OStream &json, const CheckReport &report) {
  json.object([&] {
    json.attribute("kind", getCheckName(report.kind));
    json.attribute("message", report.message);
    json.attribute("kernel", report.kernel);
    json.attribute("address", int64_t(report.address));
    json.attribute("instruction", report.instruction);
    json.attribute("source", report.source);
    json.attributeArray("workgroup", [&] {
      for (uint32_t id : report.workgroup)
        json.value(int64_t(id));
    });
    json.attribute("wave", int64_t(report.wave));
    json.attribute("lane", report.lane);
  });
}

int octavo::sim::checkKernel(const RunOptions &options) {
  Prepared prepared;
  if (int code = prepare(options, prepared))
    return code;
  std::vector<MemoryExtent> memory;
  for (const Argument &argument : prepared.arguments)
    if (argument.isArray)
      memory.push_back(
          {uint64_t(argument.array.bytes.data()), argument.array.bytes.size()});
  CheckLevel level = options.fast ? CheckLevel::Fast : CheckLevel::Full;
  std::vector<CheckReport> findings;
  llvm::Expected<LaunchReport> report =
      launchChecked(*prepared.object, *prepared.kernel, prepared.config, level,
                    memory, findings);
  for (const CheckReport &finding : findings)
    llvm::outs() << finding.text() << "\n";
  std::string error = report ? std::string() : toString(report.takeError());
  if (!options.json.empty())
    if (int code = writeJsonFile(options.json, [&](llvm::json::OStream &json) {
          json.attribute("kernel", prepared.kernel->name);
          json.attribute("error", error);
          json.attributeArray("findings", [&] {
            for (const CheckReport &finding : findings)
              writeFinding(json, finding);
          });
        }))
      return code;
  if (!error.empty())
    fail(kFailure, llvm::createStringError(error));
  if (!findings.empty())
    return kFindings;
  if (!error.empty())
    return kFailure;
  llvm::outs() << "nothing found\n";
  return saveArguments(options, prepared);
}
